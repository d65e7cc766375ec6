// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/commands/engine_report.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct InspectOptions {
  std::string file;
  bool as_json = false;
  bool graph = false;
};

std::string str(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string joined(const json& items) {
  std::vector<std::string> words;
  for (const json& item : items) words.push_back(str(item));
  return join(words);
}

void print_ports(const char* title, const json& ports) {
  std::cout << title << '\n';
  for (const json& port : ports)
    std::cout << "  " << printable(str(port["name"])) << "  " << str(port["dtype"])
              << str(port["shape"]) << '\n';
}

void print_nodes(const json& nodes) {
  Table table({"node", "operator", "device", "kernel", "why not the wanted device"});
  for (const json& node : nodes) {
    std::string reason = str(node["reason"]);
    if (!str(node["found"]).empty()) reason += "; found " + str(node["found"]);
    if (!str(node["allowed"]).empty()) reason += "; allowed " + str(node["allowed"]);
    table.add({str(node["name"]), str(node["op"]), str(node["device"]), str(node["kernel"]),
               std::move(reason)});
  }
  std::cout << "\nnodes\n";
  table.print(std::cout);
}

void print_programs(const json& programs) {
  Table table({">program", "device", "kernel", ">code bytes", "nodes", "from the model's nodes"});
  size_t index = 0;
  for (const json& program : programs)
    table.add({std::to_string(index++), str(program["device"]), str(program["kernel"]),
               str(program["code_bytes"]), joined(program["nodes"]), joined(program["origins"])});
  std::cout << "\nprograms\n";
  table.print(std::cout);
}

void print_passes(const json& passes) {
  Table table({"pass", ">changes", ">nodes before", ">nodes after"});
  for (const json& pass : passes)
    table.add({str(pass["name"]), str(pass["changes"]), str(pass["nodes_before"]),
               str(pass["nodes_after"])});
  if (table.empty()) return;
  std::cout << "\npasses (times are in the report of compile: an engine holds no clock)\n";
  table.print(std::cout);
}

void print_memory(const json& memory) {
  std::cout << "\nmemory\n";
  for (const json& arena : memory["arenas"])
    std::cout << "  arena of " << str(arena["device"]) << ": "
              << planned_bytes_str(arena["arena_bytes"]) << ", live at its peak "
              << planned_bytes_str(arena["peak_live_bytes"]) << '\n';
  std::cout << "  without reuse: " << planned_bytes_str(memory["sum_bytes"]) << '\n'
            << "  weights: " << bytes_str(memory["weight_bytes"].get<int64_t>()) << '\n';
  Table table({">buffer", "device", ">offset", "bytes", ">align", ">first step", ">last step"});
  size_t index = 0;
  for (const json& buffer : memory["buffers"]) {
    const int64_t offset = buffer["offset_bytes"].get<int64_t>();
    table.add({std::to_string(index++), str(buffer["device"]),
               offset < 0 ? "by shapes" : std::to_string(offset), joined(buffer["bytes"]),
               str(buffer["align_bytes"]), str(buffer["first_step"]), str(buffer["last_step"])});
  }
  if (!table.empty()) table.print(std::cout);
}

void print_engine(const json& engine) {
  std::cout << "engine format " << str(engine["format"]) << ", written by npugraph "
            << printable(str(engine["producer"])) << ", "
            << bytes_str(engine["file_bytes"].get<int64_t>()) << '\n';
  for (const json& device : engine["devices"]) {
    std::cout << "device " << printable(str(device["name"])) << ": "
              << printable(str(device["fingerprint"]));
    if (!str(device["min_firmware"]).empty())
      std::cout << ", firmware " << printable(str(device["min_firmware"])) << " or newer";
    std::cout << '\n';
  }
  print_ports("inputs", engine["inputs"]);
  print_ports("outputs", engine["outputs"]);
  std::cout << summary_text(engine) << "cut edges: " << str(engine["cut_edges"])
            << ", events: " << str(engine["events"]) << '\n';
  print_nodes(engine["nodes"]);
  print_programs(engine["programs"]);
  print_memory(engine["memory"]);
  print_passes(engine["passes"]);
}

json ports_json(const std::vector<PortDescription>& ports) {
  json rows = json::array();
  for (const PortDescription& port : ports)
    rows.push_back({{"name", port.name},
                    {"dtype", dtype_name(port.type.dtype)},
                    {"shape", port.type.shape.str()}});
  return rows;
}

Result<int> inspect_model(const InspectOptions& options) {
  NPU_LET(const Library library, Library::create({}));
  NPU_LET(const std::vector<CheckRow> rows, check(library, options.file, {}));
  std::map<std::string, int64_t> counts;
  for (const CheckRow& row : rows) ++counts[row.op];
  json report = {{"model", options.file}, {"operators", counts}, {"nodes", rows.size()}};
  // A model with operators that are not known has ports all the same, but they cannot be read yet.
  if (const auto inputs = model_inputs(options.file)) report["inputs"] = ports_json(*inputs);
  if (const auto outputs = model_outputs(options.file)) report["outputs"] = ports_json(*outputs);
  if (options.as_json) {
    print_json(report);
    return kExitOk;
  }
  std::cout << "ONNX model, " << rows.size() << " nodes\n";
  if (report.contains("inputs")) print_ports("inputs", report["inputs"]);
  if (report.contains("outputs")) print_ports("outputs", report["outputs"]);
  if (!report.contains("inputs"))
    std::cout << "inputs and outputs: not readable, see `npugraph check`\n";
  Table table({"operator", ">nodes"});
  for (const auto& [op, count] : counts) table.add({op, std::to_string(count)});
  table.print(std::cout);
  return kExitOk;
}

Result<int> run(const InspectOptions& options) {
  if (is_model_path(options.file)) return inspect_model(options);
  NPU_LET(const Engine engine, Engine::open(options.file));
  NPU_LET(const json described, engine_json(engine));
  if (options.as_json)
    print_json(described);
  else if (options.graph)
    std::cout << engine.graph_text();  // names are escaped in it
  else
    print_engine(described);
  return kExitOk;
}

}  // namespace

Command add_inspect(CLI::App& root) {
  CLI::App* app = root.add_subcommand(
      "inspect", "Show an engine (nodes, placement, programs, memory, passes) or a model");
  auto options = std::make_shared<InspectOptions>();
  app->add_option("file", options->file, "Engine, or ONNX model")->required()->type_name("FILE");
  app->add_flag("--json", options->as_json, "Print JSON");
  app->add_flag("--graph", options->graph, "Print an engine's optimised graph as text");
  return {app, [options] { return run(*options); }};
}

}  // namespace npugraph::tools
