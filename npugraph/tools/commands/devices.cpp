// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "npugraph/api/npugraph.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct DevicesOptions {
  DeviceArguments devices;
  bool as_json = false;
};

Result<int> run(const DevicesOptions& options) {
  NPU_LET(const Library library, options.devices.library());
  json rows = json::array();
  Table table({"device", "memory", "clock", "compiled code fits", "firmware", "description"});
  for (const DeviceDescription& device : library.devices()) {
    rows.push_back({{"name", device.name},
                    {"description", device.description},
                    {"fingerprint", device.fingerprint},
                    {"firmware", device.firmware},
                    {"host_memory", device.host_memory},
                    {"virtual_clock", device.virtual_clock}});
    table.add({device.name, device.host_memory ? "host" : "own",
               device.virtual_clock ? "simulated" : "wall", device.fingerprint,
               device.firmware.empty() ? "-" : device.firmware, device.description});
  }
  if (options.as_json)
    print_json(rows);
  else
    table.print(std::cout);
  return kExitOk;
}

}  // namespace

Command add_devices(CLI::App& root) {
  CLI::App* app = root.add_subcommand("devices", "List the devices and loaded plug-ins");
  auto options = std::make_shared<DevicesOptions>();
  options->devices.add(*app);
  app->add_flag("--json", options->as_json, "Print JSON");
  return {app, [options] { return run(*options); }};
}

}  // namespace npugraph::tools
