// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct OpsOptions {
  std::string name;
  bool as_json = false;
};

json to_json(const OperatorDescription& op) {
  return {{"name", op.name},       {"domain", op.domain},
          {"class", op.op_class},  {"doc", op.doc},
          {"onnx", op.onnx},       {"aten", op.aten},
          {"native", op.native},   {"inputs", op.inputs},
          {"outputs", op.outputs}, {"attributes", op.attributes}};
}

void print_list(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  std::cout << title << '\n';
  for (const std::string& item : items) std::cout << "  " << item << '\n';
}

void print_one(const OperatorDescription& op) {
  std::cout << op.name << " (" << op.domain << "), class " << op.op_class << '\n' << op.doc << '\n';
  print_list("inputs", op.inputs);
  print_list("outputs", op.outputs);
  print_list("attributes", op.attributes);
  std::cout << "ONNX: " << (op.onnx.empty() ? "-" : join(op.onnx)) << '\n'
            << "ATen: " << (op.aten.empty() ? "-" : join(op.aten)) << '\n'
            << "cpu kernels: " << (op.native.empty() ? "reference" : join(op.native)) << '\n';
}

void print_all(const std::vector<OperatorDescription>& rows) {
  Table table({"operator", "class", "onnx", "aten", "cpu kernels"});
  for (const OperatorDescription& op : rows)
    table.add({op.name, op.op_class, join(op.onnx), join(op.aten),
               op.native.empty() ? "reference" : join(op.native)});
  table.print(std::cout);
  std::cout << rows.size() << " operators\n";
}

Result<int> run(const OpsOptions& options) {
  std::vector<OperatorDescription> rows = operators();
  if (options.name.empty()) {
    json all = json::array();
    for (const OperatorDescription& op : rows) all.push_back(to_json(op));
    if (options.as_json)
      print_json(all);
    else
      print_all(rows);
    return kExitOk;
  }
  std::vector<std::string> names;
  for (const OperatorDescription& op : rows) {
    names.push_back(op.name);
    if (op.name != options.name) continue;
    if (options.as_json)
      print_json(to_json(op));
    else
      print_one(op);
    return kExitOk;
  }
  const std::string near = nearest(options.name, names);
  return fail(ErrorId::kUnknownOp, "there is no operator of this name",
              text("'", options.name, "'"), "a name that `npugraph ops` lists",
              near.empty() ? "" : text("did you mean '", near, "'?"));
}

}  // namespace

Command add_ops(CLI::App& root) {
  CLI::App* app = root.add_subcommand("ops", "List the operators, or show one with its schema");
  auto options = std::make_shared<OpsOptions>();
  app->add_option("operator", options->name, "Name of an operator");
  app->add_flag("--json", options->as_json, "Print JSON");
  return {app, [options] { return run(*options); }};
}

}  // namespace npugraph::tools
