// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/io/model_file.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct CheckOptions {
  std::string model;
  std::string device = "cpu";
  std::vector<std::string> shapes;
  DeviceArguments devices;
  bool as_json = false;
};

json to_json(const CheckRow& row) {
  return {{"name", row.name},     {"path", row.path},     {"domain", row.domain},
          {"op", row.op},         {"device", row.device}, {"kernel", row.kernel},
          {"reason", row.reason}, {"found", row.found},   {"allowed", row.allowed},
          {"signs", row.signs}};
}

std::string operator_str(const CheckRow& row) {
  return row.domain.empty() || row.domain == "ai.onnx" ? row.op : row.domain + "::" + row.op;
}

/// "path/of/If/name", or what there is of it.
std::string place_str(const CheckRow& row) {
  if (row.path.empty()) return row.name;
  return row.name.empty() || row.path.ends_with(row.name) ? row.path : row.path + "/" + row.name;
}

void print_text(const std::vector<CheckRow>& rows, const std::map<std::string, int64_t>& counts,
                int64_t unplaced, bool survey_only) {
  Table table({"node", "operator", "device", "why not", "found", "allowed"});
  for (const CheckRow& row : rows)
    table.add({place_str(row), operator_str(row),
               !row.device.empty() ? row.device : (row.reason.empty() ? "?" : "none"), row.reason,
               row.found, row.allowed});
  table.print(std::cout);
  int64_t signs = 0;
  for (const CheckRow& row : rows) {
    for (const std::string& sign : row.signs) {
      if (signs++ == 0) std::cout << "\ndanger signs\n";
      std::cout << "  " << printable(place_str(row)) << ": " << printable(sign) << '\n';
    }
  }
  std::cout << '\n' << rows.size() << " operators";
  for (const auto& [device, count] : counts) std::cout << ", " << count << " on " << device;
  std::cout << ", " << unplaced << " that cannot run, " << signs << " danger signs\n";
  if (survey_only) std::cout << "Devices (?) are told once every operator is known.\n";
}

Result<int> run(const CheckOptions& options) {
  NPU_LET(const Library library, options.devices.library());
  CompileOptions compiler;
  compiler.device = options.device;
  NPU_LET(compiler.shapes, parse_shapes(options.shapes));
  NPU_LET(const ModelFile model, ModelFile::open(options.model));
  NPU_LET(const std::vector<CheckRow> rows, check(library, model.onnx(), compiler));

  std::map<std::string, int64_t> counts;
  int64_t unplaced = 0;
  int64_t untold = 0;  // known, but placed only once the others are known too
  json all = json::array();
  for (const CheckRow& row : rows) {
    all.push_back(to_json(row));
    if (!row.device.empty())
      ++counts[row.device];
    else if (row.reason.empty())
      ++untold;
    else
      ++unplaced;
  }
  if (options.as_json)
    print_json({{"model", options.model},
                {"device", options.device},
                {"operators", std::move(all)},
                {"by_device", counts},
                {"unplaced", unplaced}});
  else
    print_text(rows, counts, unplaced, untold > 0);
  return unplaced > 0 ? kExitNo : kExitOk;
}

}  // namespace

Command add_check(CLI::App& root) {
  CLI::App* app = root.add_subcommand(
      "check", "List every operator of a model: where it runs, or why it cannot");
  auto options = std::make_shared<CheckOptions>();
  app->add_option("model", options->model, "ONNX model")->required()->type_name("MODEL");
  app->add_option("--device", options->device, "Wanted device; what it refuses runs on the cpu")
      ->type_name("NAME")
      ->capture_default_str();
  add_repeated(*app, "--shape", options->shapes, "Shape of an input; repeatable")
      ->type_name("NAME=SHAPE");
  options->devices.add(*app);
  app->add_flag("--json", options->as_json, "Print JSON");
  app->footer("Exit status: 1 when an operator can run nowhere.");
  return {app, [options] { return run(*options); }};
}

}  // namespace npugraph::tools
