// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/io/model_file.h"
#include "npugraph/tools/terminal/interrupt.h"
#include "npugraph/tools/terminal/progress.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct OptimiseOptions {
  std::string model;
  std::string output;
  CompileArguments compile;
  bool as_json = false;
};

Result<OptimiseReport> optimise_model(const OptimiseOptions& options) {
  NPU_LET(const Library library, Library::create());
  NPU_LET(CompileOptions compiler, options.compile.options());
  NPU_LET(const ModelFile model, ModelFile::open(options.model));
  // Files, dumps among them, are finished before an interrupt is obeyed.
  std::optional<DeferInterrupts> defer;
  if (!compiler.dump_passes.empty()) defer.emplace();
  ProgressBar bar;
  compiler.progress = [&, show = bar.callback()](std::string_view stage, double fraction) {
    if (stage == "writing" && !defer) defer.emplace();
    return show(stage, fraction);
  };
  return optimise(library, model.onnx(), options.output, compiler);
}

Result<int> run(const OptimiseOptions& options) {
  NPU_LET(const OptimiseReport report, optimise_model(options));
  if (options.as_json) {
    json passes = json::array();
    for (const auto& [name, changes] : report.changes)
      passes.push_back({{"name", name}, {"changes", changes}});
    print_json({{"model", options.model},
                {"output", options.output},
                {"data", report.data.string()},
                {"nodes_before", report.nodes_before},
                {"nodes_after", report.nodes_after},
                {"passes", std::move(passes)}});
    return kExitOk;
  }
  std::cout << "model: " << printable(options.output) << '\n';
  if (!report.data.empty()) std::cout << "weights: " << printable(report.data.string()) << '\n';
  std::cout << "nodes: " << report.nodes_before << " -> " << report.nodes_after << "\n\n";
  Table table({"pass", "changes"});
  for (const auto& [name, changes] : report.changes)
    if (changes > 0) table.add({name, text(changes)});
  table.print(std::cout);
  return kExitOk;
}

}  // namespace

Command add_optimise(CLI::App& root) {
  CLI::App* app = root.add_subcommand("optimise", "Run the passes and write the model as ONNX");
  auto options = std::make_shared<OptimiseOptions>();
  app->add_option("model", options->model, "ONNX model")->required()->type_name("MODEL");
  app->add_option("-o,--output", options->output,
                  "ONNX model to write; more than 2 GiB of weights go to a file beside it")
      ->required()
      ->type_name("OUT.onnx");
  options->compile.add_passes(*app);
  options->compile.add_keep_inputs(*app);
  options->compile.add_pass_checks(*app);
  app->add_flag("--json", options->as_json, "Print JSON");
  app->footer("Passes that make what not every ONNX runtime takes are left out.");
  return {app, [options] { return run(*options); }};
}

}  // namespace npugraph::tools
