// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/commands/engine_report.h"
#include "npugraph/tools/io/npz.h"
#include "npugraph/tools/terminal/interrupt.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct RunCommandOptions {
  std::string file;
  std::string output;
  int64_t threads = 0;
  DeviceArguments devices;
  CompileArguments compile;
  InputArguments inputs;
  bool as_json = false;
};

/// What a glance at an output should tell.
struct Glance {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double mean = 0;
  int64_t not_finite = 0;
};

Glance glance(const TensorView& view) {
  Glance out;
  int64_t finite = 0;
  for (int64_t i = 0; i < view.elements(); ++i) {
    const double value = view.load(i);
    if (!std::isfinite(value)) {
      ++out.not_finite;
      continue;
    }
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    out.mean += value;
    ++finite;
  }
  if (finite > 0)
    out.mean /= static_cast<double>(finite);
  else
    out.min = out.max = out.mean = std::numeric_limits<double>::quiet_NaN();
  return out;
}

json output_json(const std::string& name, const TensorView& view) {
  const Glance seen = glance(view);
  return {{"name", name},
          {"dtype", dtype_name(view.dtype)},
          {"shape", view.dims},
          {"min", seen.min},
          {"max", seen.max},
          {"mean", seen.mean},
          {"not_finite", seen.not_finite}};
}

Status save_outputs(const std::string& path, const std::vector<PortDescription>& ports,
                    const std::vector<TensorView>& views) {
  std::vector<NamedArray> arrays;
  for (size_t i = 0; i < views.size(); ++i) {
    NPU_LET(Tensor tensor, Tensor::copy(views[i].dtype, views[i].dims,
                                        {views[i].data, static_cast<size_t>(views[i].bytes())}));
    arrays.push_back({ports[i].name, std::move(tensor)});
  }
  const DeferInterrupts defer;
  return write_npz(path, arrays);
}

void print_text(const json& report) {
  Table table({"output", "dtype", "shape", ">min", ">max", ">mean", ">not finite"});
  for (const json& row : report["outputs"]) {
    const Dims dims = row["shape"].get<Dims>();
    table.add({row["name"].get<std::string>(), row["dtype"].get<std::string>(), dims_str(dims),
               number_str(row["min"].get<double>()), number_str(row["max"].get<double>()),
               number_str(row["mean"].get<double>()), row["not_finite"].dump()});
  }
  table.print(std::cout);
  std::cout << "run: " << number_str(report["run_us"].get<double>()) << " us";
  if (report.contains("virtual_us"))
    std::cout << ", simulated " << number_str(report["virtual_us"].get<double>()) << " us";
  std::cout << '\n';
  if (report.contains("output_file"))
    std::cout << "written: " << report["output_file"].get<std::string>() << '\n';
}

Result<int> run(const RunCommandOptions& options, const CLI::App& app) {
  NPU_LET(const Library library, options.devices.library());
  NPU_LET(const LoadedEngine loaded, open_or_compile(library, options.file, options.compile, app));
  NPU_LET(Session session, Session::create(library, loaded.engine, {.threads = options.threads}));
  std::vector<PortDescription> ports = session.inputs();
  NPU_LET(const auto shapes, parse_shapes(options.compile.shapes));
  NPU_TRY(apply_shapes(shapes, ports));
  NPU_LET(const std::vector<Tensor> inputs, options.inputs.load(ports, std::nullopt));
  NPU_LET(const std::vector<TensorView> outputs, session.run(views_of(inputs)));

  json report = {{"file", options.file}, {"outputs", json::array()}};
  for (size_t i = 0; i < outputs.size(); ++i)
    report["outputs"].push_back(output_json(session.outputs()[i].name, outputs[i]));
  const RunTimes times = session.times();
  report["run_us"] = static_cast<double>(times.wall_ns) / 1000;
  if (times.virtual_ns > 0) report["virtual_us"] = static_cast<double>(times.virtual_ns) / 1000;
  if (loaded.compiled) report["compile_us"] = times_json(loaded.engine.times());
  if (!options.output.empty()) {
    NPU_TRY(save_outputs(options.output, session.outputs(), outputs));
    report["output_file"] = options.output;
  }
  if (options.as_json)
    print_json(report);
  else
    print_text(report);
  return kExitOk;
}

}  // namespace

Command add_run(CLI::App& root) {
  CLI::App* app = root.add_subcommand("run", "Run an engine or a model once");
  auto options = std::make_shared<RunCommandOptions>();
  app->add_option("file", options->file, "Engine, or ONNX model (compiled first)")
      ->required()
      ->type_name("ENGINE|MODEL");
  options->inputs.add(*app);
  app->add_option("--output", options->output, "Write the outputs")->type_name("FILE.npz");
  app->add_option("--threads", options->threads, "Host threads, this one included; 0: all")
      ->check(at_least(0))
      ->capture_default_str();
  options->compile.add(*app, false);
  options->devices.add(*app);
  app->add_flag("--json", options->as_json, "Print JSON");
  return {app, [options, app] { return run(*options, *app); }};
}

}  // namespace npugraph::tools
