// SPDX-License-Identifier: Apache-2.0
// The one place that names concrete devices.
#include <cstdlib>
#include <sstream>

#include "npugraph/api/library.h"
#include "npugraph/base/platform.h"
#include "npugraph/drivers/cpu/cpu_driver.h"
#include "npugraph/drivers/null/null_driver.h"
#include "npugraph/drivers/plugin/plugin_driver.h"
#include "npugraph/drivers/vnpu/vnpu_driver.h"
#include "npugraph/lower/cpu/cpu_target.h"
#include "npugraph/lower/null/null_target.h"
#include "npugraph/lower/plugin/plugin_target.h"
#include "npugraph/lower/vnpu/vnpu_target.h"
#include "npugraph/vnpu/hardware.h"

namespace npugraph {
namespace {

Result<Device> device_cpu(const LibraryOptions&) {
  NPU_LET(const Isa isa, selected_isa());
  return Device{make_cpu_target(isa), make_cpu_driver(isa)};
}

Result<Device> device_vnpu(const LibraryOptions& options) {
  NPU_LET(const vnpu::Hardware hardware, vnpu::find_hardware(options.vnpu_hardware.string()));
  NPU_LET(std::unique_ptr<Driver> driver, make_vnpu_driver(hardware));
  return Device{make_vnpu_target(hardware), std::move(driver)};
}

Result<Device> device_null(const LibraryOptions&) {
  return Device{make_null_target(), make_null_driver()};
}

/// The options' plug-ins, then those that the environment names.
std::vector<std::filesystem::path> plugin_paths(const LibraryOptions& options) {
  std::vector<std::filesystem::path> paths = options.plugins;
  if (const char* list = std::getenv("NPUGRAPH_PLUGINS"); list != nullptr) {
    std::istringstream stream(list);
    for (std::string path; std::getline(stream, path, ':');)
      if (!path.empty()) paths.emplace_back(path);
  }
  return paths;
}

}  // namespace

Result<std::vector<Device>> make_devices(const LibraryOptions& options) {
  std::vector<Device> devices;
#define X(name)                                     \
  {                                                 \
    NPU_LET(Device device, device_##name(options)); \
    devices.push_back(std::move(device));           \
  }
#include "npugraph/api/devices.inc"
#undef X
  for (const std::filesystem::path& path : plugin_paths(options)) {
    NPU_LET(std::unique_ptr<Target> target, load_plugin_target(path));
    NPU_LET(std::unique_ptr<Driver> driver, load_plugin_driver(path));
    devices.push_back({std::move(target), std::move(driver)});
  }
  return devices;
}

}  // namespace npugraph
