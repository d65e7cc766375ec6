// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/commands/engine_report.h"
#include "npugraph/tools/io/helper.h"
#include "npugraph/tools/io/model_file.h"
#include "npugraph/tools/measure/layers.h"
#include "npugraph/tools/terminal/progress.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct CompareOptions {
  std::string model;
  std::filesystem::path onnx;  // the model, or what it was exported to
  std::string engine;
  std::string against = "reference";
  bool layers = false;
  bool bisect_passes = false;
  double tolerance = 1e-4;
  int64_t threads = 0;
  DeviceArguments devices;
  CompileArguments compile;
  InputArguments inputs;
  bool as_json = false;
};

/// Inputs of the model, in its order.
struct Inputs {
  std::vector<PortDescription> ports;
  std::vector<Tensor> tensors;
};

Result<Inputs> load_inputs(const CompareOptions& options) {
  Inputs inputs;
  NPU_LET(inputs.ports, model_inputs(options.onnx));
  NPU_LET(const auto shapes, parse_shapes(options.compile.shapes));
  NPU_TRY(apply_shapes(shapes, inputs.ports));
  NPU_LET(inputs.tensors, options.inputs.load(inputs.ports, 0));
  return inputs;
}

Result<std::vector<NamedTensor>> reference_values(const CompareOptions& options,
                                                  const Inputs& inputs) {
  if (options.against == "reference") {
    ProgressBar bar;
    return interpret(options.onnx, inputs.tensors, bar.callback());
  }
  std::vector<NamedArray> arrays;
  for (size_t i = 0; i < inputs.ports.size(); ++i)
    arrays.push_back({inputs.ports[i].name, inputs.tensors[i]});
  NPU_LET(ForeignValues foreign,
          run_onnxruntime(options.onnx, arrays, options.layers, options.threads));
  std::vector<NamedTensor> values;
  for (NamedArray& array : foreign.values)
    values.push_back({array.name, foreign.node_of[array.name], std::move(array.tensor)});
  return values;
}

Result<Engine> engine_to_compare(const Library& library, const CompareOptions& options,
                                 const CLI::App& app) {
  const bool is_given = !options.engine.empty();
  const std::filesystem::path file = is_given ? options.engine : options.onnx.string();
  if (is_given && is_model_path(file))
    return at("option --engine",
              fail(ErrorId::kBadOption, "a model is not an engine", text("'", file.string(), "'"),
                   "a file that `npugraph compile` wrote"));
  NPU_LET(LoadedEngine loaded, open_or_compile(library, file, options.compile, app));
  return std::move(loaded.engine);
}

/// The model's inputs in the order of the engine's.
Result<std::vector<TensorView>> ordered_inputs(const Session& session, const Inputs& inputs) {
  std::vector<std::string> names;
  for (const PortDescription& port : inputs.ports) names.push_back(port.name);
  std::vector<TensorView> views;
  for (const PortDescription& port : session.inputs()) {
    const auto hit = std::find(names.begin(), names.end(), port.name);
    if (hit == names.end())
      return fail(ErrorId::kBadInputName, "the engine has an input that the model lacks",
                  text("'", port.name, "'"), join(names),
                  "compare an engine with the model that it was compiled from, or a variant of it");
    views.push_back(inputs.tensors[static_cast<size_t>(hit - names.begin())].view());
  }
  return views;
}

Result<std::vector<NamedTensor>> engine_values(Session& session, const Inputs& inputs,
                                               bool layers) {
  NPU_LET(const std::vector<TensorView> views, ordered_inputs(session, inputs));
  if (layers) return session.run_layers(views);
  NPU_LET(const std::vector<TensorView> outputs, session.run(views));
  std::vector<NamedTensor> values;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& view = outputs[i];
    NPU_LET(Tensor copy,
            Tensor::copy(view.dtype, view.dims, {view.data, static_cast<size_t>(view.bytes())}));
    values.push_back({session.outputs()[i].name, "", std::move(copy)});
  }
  return values;
}

Origins origins_of(const json& engine) {
  Origins origins;
  for (const json& program : engine["programs"])
    for (const json& node : program["nodes"])
      for (const json& origin : program["origins"])
        origins[node.get<std::string>()].push_back(origin.get<std::string>());
  return origins;
}

Wiring wiring_of(const json& engine) {
  Wiring wiring;
  const auto name_of = [&](const json& slot) {
    return engine["slots"][slot.get<size_t>()]["name"].get<std::string>();
  };
  for (const json& block : engine["blocks"]) {
    for (const json& task : block) {
      const auto name = task["name"].get<std::string>();
      for (const json& slot : task["inputs"]) wiring.values_read[name].push_back(name_of(slot));
      for (const json& slot : task["outputs"]) wiring.maker.emplace(name_of(slot), name);
    }
  }
  return wiring;
}

json row_json(const LayerRow& row) {
  json out = {{"name", row.name},       {"node", row.node},     {"task", row.task},
              {"origins", row.origins}, {"unseen", row.unseen}, {"over", row.over}};
  if (!row.problem.empty()) {
    out["problem"] = row.problem;
    return out;
  }
  out["cosine"] = row.agreement.cosine;
  out["max_abs"] = row.agreement.max_abs;
  out["relative_error"] = row.agreement.relative_error;
  out["relative_euclid"] = row.agreement.relative_euclid;
  out["sqnr_db"] = row.agreement.sqnr_db;
  out["elements"] = row.agreement.elements;
  out["mismatches"] = row.agreement.mismatches;
  return out;
}

json report_json(const CompareOptions& options, const std::vector<LayerRow>& rows) {
  json report = {{"model", options.model},   {"against", options.against},
                 {"layers", options.layers}, {"tolerance", options.tolerance},
                 {"tensors", json::array()}, {"first_over_tolerance", nullptr}};
  for (const LayerRow& row : rows) report["tensors"].push_back(row_json(row));
  const std::optional<size_t> first = first_over(rows);
  if (first) report["first_over_tolerance"] = row_json(rows[*first]);
  report["ok"] = !first.has_value();
  return report;
}

void print_text(const CompareOptions& options, const std::vector<LayerRow>& rows) {
  Table table({"tensor", "node", ">cosine", ">max abs", ">relative error", ">relative euclid", ""});
  for (const LayerRow& row : rows) {
    if (!row.problem.empty()) {
      table.add({row.name, row.node, "-", "-", "-", "-", row.problem});
      continue;
    }
    std::ostringstream cosine;
    cosine << std::fixed << std::setprecision(8) << row.agreement.cosine;
    table.add({row.name, row.node, cosine.str(), number_str(row.agreement.max_abs),
               number_str(row.agreement.relative_error), number_str(row.agreement.relative_euclid),
               row.over ? "OVER" : ""});
  }
  table.print(std::cout);
  const std::optional<size_t> first = first_over(rows);
  if (!first) {
    std::cout << rows.size() << " tensors within a relative error of " << options.tolerance
              << " of " << options.against << '\n';
    return;
  }
  const LayerRow& row = rows[*first];
  std::cout << "first over tolerance (" << options.tolerance << "): tensor '" << printable(row.name)
            << "', made by node '" << printable(row.node) << "'";
  if (!row.task.empty()) std::cout << "; in the engine by '" << printable(row.task) << "'";
  if (!row.origins.empty()) std::cout << ", which stands for " << printable(join(row.origins));
  std::cout << '\n';
  if (!row.unseen.empty())
    std::cout << "before it, values of these nodes are not in the engine to compare: "
              << printable(join(row.unseen)) << '\n';
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(printable(line));
  return lines;
}

void print_bisection(const CompareOptions& options, const PassBisection& found) {
  if (options.as_json) {
    json report = {{"model", options.model},
                   {"against", options.against},
                   {"tolerance", options.tolerance},
                   {"calls", found.calls},
                   {"call", nullptr},
                   {"pass", nullptr},
                   {"nodes", lines_of(found.diff)},
                   {"ok", found.call == 0}};
    if (found.call != 0) {
      report["call"] = found.call;
      report["pass"] = found.pass_name;
    }
    print_json(report);
    return;
  }
  if (found.call == 0) {
    std::cout << "all " << found.calls << " calls of passes keep the outputs within a relative "
              << "error of " << options.tolerance << " of " << options.against << '\n';
    return;
  }
  std::cout << "pass '" << found.pass_name << "', call " << found.call << " of " << found.calls
            << ", is the first after which an output is over tolerance (" << options.tolerance
            << ")\n";
  for (const std::string& line : lines_of(found.diff)) std::cout << "  " << line << '\n';
}

/// Which call of a pass takes the outputs over the tolerance.
Result<int> run_bisection(const Library& library, const CompareOptions& options) {
  if (!options.engine.empty())
    return at("option --bisect-passes", fail(ErrorId::kBadOption, "an engine was optimised already",
                                             "--engine", "the model alone"));
  NPU_LET(const CompileOptions compiler, options.compile.options());
  NPU_LET(const Inputs inputs, load_inputs(options));
  NPU_LET(const std::vector<NamedTensor> reference, reference_values(options, inputs));
  const EngineJudge is_good = [&](const Engine& engine) -> Result<bool> {
    NPU_LET(Session session, Session::create(library, engine, {.threads = options.threads}));
    NPU_LET(const std::vector<NamedTensor> computed, engine_values(session, inputs, false));
    return !first_over(compare_layers(reference, computed, {}, options.tolerance));
  };
  NPU_LET(const PassBisection found, bisect_passes(library, options.onnx, is_good, compiler));
  print_bisection(options, found);
  return found.call != 0 ? kExitNo : kExitOk;
}

Result<int> run(const CompareOptions& options, const CLI::App& app) {
  if (!(options.tolerance >= 0))
    return at("option --tolerance",
              fail(ErrorId::kBadOption, "not a tolerance", text(options.tolerance), "0 or more"));
  NPU_LET(const Library library, options.devices.library());
  if (options.bisect_passes) return run_bisection(library, options);
  NPU_LET(const Inputs inputs, load_inputs(options));
  NPU_LET(const Engine engine, engine_to_compare(library, options, app));
  NPU_LET(Session session, Session::create(library, engine, {.threads = options.threads}));
  NPU_LET(const std::vector<NamedTensor> computed, engine_values(session, inputs, options.layers));
  NPU_LET(const std::vector<NamedTensor> reference, reference_values(options, inputs));
  NPU_LET(const json described, engine_json(engine));
  const Origins origins = origins_of(described);
  std::vector<LayerRow> rows = compare_layers(reference, computed, origins, options.tolerance);
  if (const auto first = first_over(rows))
    rows[*first].unseen = nodes_unseen(rows[*first], rows, wiring_of(described), origins);
  if (rows.empty())
    return fail(ErrorId::kCompareFailed, "engine and reference have no tensor in common", {}, {},
                "compare an engine with the model that it was compiled from, or a variant of it");
  if (options.as_json)
    print_json(report_json(options, rows));
  else
    print_text(options, rows);
  return first_over(rows) ? kExitNo : kExitOk;
}

}  // namespace

Command add_compare(CLI::App& root) {
  CLI::App* app = root.add_subcommand(
      "compare", "Compare the numbers of an engine with a reference, tensor by tensor");
  auto options = std::make_shared<CompareOptions>();
  app->add_option("model", options->model, "ONNX model: what is right")
      ->required()
      ->type_name("MODEL");
  app->add_option("--engine", options->engine,
                  "Engine to judge; default: the model is compiled. Of another file than the "
                  "model's, it shows where the two differ first")
      ->type_name("ENGINE");
  app->add_option("--against", options->against,
                  "reference: node by node, unoptimised; onnxruntime: in a Python process")
      ->check(CLI::IsMember({"reference", "onnxruntime"}))
      ->type_name("reference|onnxruntime")
      ->capture_default_str();
  app->add_flag("--layers", options->layers, "Compare what every node makes, not outputs alone");
  app->add_flag("--bisect-passes", options->bisect_passes,
                "Find the first call of a pass after which an output is over tolerance");
  app->add_option("--tolerance", options->tolerance, "Largest max|a-b| / max|b| of a tensor")
      ->capture_default_str();
  app->add_option("--threads", options->threads, "Host threads, this one included; 0: all")
      ->check(at_least(0))
      ->capture_default_str();
  options->inputs.add(*app);
  options->compile.add(*app, false);
  options->devices.add(*app);
  app->add_flag("--json", options->as_json, "Print JSON");
  app->footer(
      "Without --input the inputs are random with seed 0. Exit status: 1 when a tensor is over\n"
      "tolerance.");
  return {app, [options, app]() -> Result<int> {
            NPU_LET(const ModelFile model, ModelFile::open(options->model));
            options->onnx = model.onnx();
            return run(*options, *app);
          }};
}

}  // namespace npugraph::tools
