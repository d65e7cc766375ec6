// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/arguments.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/commands/engine_report.h"
#include "npugraph/tools/terminal/interrupt.h"
#include "npugraph/tools/terminal/progress.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct CompileOptions {
  std::string model;
  std::string output;
  std::string report;
  DeviceArguments devices;
  CompileArguments compile;
  bool as_json = false;
};

Result<Engine> compile_model(const Library& library, const CompileOptions& options) {
  NPU_LET(CompilerOptions compiler, options.compile.options());
  // Dumps are files: they are finished before an interrupt is obeyed.
  std::optional<DeferInterrupts> defer;
  if (!compiler.dump_passes.empty()) defer.emplace();
  ProgressBar bar;
  compiler.progress = bar.callback();
  return compile(library, options.model, compiler);
}

Status save(const Engine& engine, const CompileOptions& options, const json& report) {
  const DeferInterrupts defer;
  NPU_TRY(engine.save(options.output));
  if (!options.report.empty()) NPU_TRY(write_file(options.report, json_text(report)));
  return ok();
}

/// Nothing that is read may be what is written.
Status check_paths(const CompileOptions& options) {
  for (const std::string* written : {&options.output, &options.report}) {
    std::error_code missing;
    if (!written->empty() && std::filesystem::equivalent(options.model, *written, missing))
      return fail(ErrorId::kBadOption, "the output would replace the model",
                  text("'", *written, "'"), "another file");
  }
  return ok();
}

Result<int> run(const CompileOptions& options) {
  NPU_TRY(check_paths(options));
  NPU_LET(const Library library, options.devices.library());
  NPU_LET(const Engine engine, compile_model(library, options));
  NPU_LET(json report, engine_json(engine));
  add_pass_times(engine.times(), report);
  report["model"] = options.model;
  report["engine"] = options.output;
  report["times_us"] = times_json(engine.times());
  NPU_TRY(save(engine, options, report));
  if (options.as_json) {
    print_json(report);
    return kExitOk;
  }
  std::cout << "engine: " << options.output << " ("
            << bytes_str(report["file_bytes"].get<int64_t>()) << ")\n"
            << summary_text(report)
            << "compile: " << number_str(static_cast<double>(engine.times().total_us()) / 1000)
            << " ms\n";
  if (!options.report.empty()) std::cout << "report: " << options.report << '\n';
  return kExitOk;
}

}  // namespace

Command add_compile(CLI::App& root) {
  CLI::App* app = root.add_subcommand("compile", "Compile a model into one engine file");
  auto options = std::make_shared<CompileOptions>();
  app->add_option("model", options->model, "ONNX model")->required()->type_name("MODEL");
  app->add_option("-o,--output", options->output, "Engine file to write")
      ->required()
      ->type_name("ENGINE");
  options->compile.add(*app, true);
  options->devices.add(*app);
  app->add_option("--report", options->report,
                  "Write what was done, and where each node runs, as JSON")
      ->type_name("FILE.json");
  app->add_flag("--json", options->as_json, "Print the report as JSON");
  return {app, [options] { return run(*options); }};
}

}  // namespace npugraph::tools
