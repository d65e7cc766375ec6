// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
#include "npugraph/tools/io/model_file.h"
#include "npugraph/tools/terminal/interrupt.h"
#include "npugraph/tools/terminal/progress.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

using nlohmann::json;

struct CommandOptions {
  std::vector<std::string> models;
  std::vector<std::string> names;
  PortNames ports;
  std::string output;
  std::string report;
  DeviceArguments devices;
  CompileArguments compile;
  bool as_json = false;
};

/// A name for each model: --name, else that of its file, with a number where that is taken.
Result<std::vector<std::string>> model_names(const CommandOptions& options) {
  if (!options.names.empty()) {
    if (options.models.size() == 1)
      return at("option --name", fail(ErrorId::kBadOption, "a single model takes no name",
                                      text("'", options.names[0], "' for one model"),
                                      "several models, compiled into one engine",
                                      "leave --name out: ports keep the names that they have"));
    if (options.names.size() == options.models.size()) return options.names;
    return at("option --name", fail(ErrorId::kBadOption, "not one name a model",
                                    text(options.names.size()), text(options.models.size())));
  }
  std::vector<std::string> names;
  for (const std::string& model : options.models) {
    const std::string stem = std::filesystem::path(model).stem().string();
    std::string name = stem;
    for (int64_t count = 2; std::find(names.begin(), names.end(), name) != names.end(); ++count)
      name = text(stem, "_", count);
    names.push_back(std::move(name));
  }
  return names;
}

Result<Engine> compile_models(const Library& library, const CommandOptions& options) {
  NPU_LET(CompileOptions compiler, options.compile.options());
  NPU_LET(const std::vector<std::string> names, model_names(options));
  std::vector<ModelFile> files;
  std::vector<MergedModel> models;
  for (size_t i = 0; i < names.size(); ++i) {
    NPU_LET(ModelFile file, ModelFile::open(options.models[i], options.ports));
    models.push_back({.name = names[i], .path = file.onnx()});
    files.push_back(std::move(file));
  }
  // Dumps are files: they are finished before an interrupt is obeyed.
  std::optional<DeferInterrupts> defer;
  if (!compiler.dump_passes.empty()) defer.emplace();
  ProgressBar bar;
  compiler.progress = bar.callback();
  if (models.size() == 1) return compile(library, models[0].path, compiler);
  return merge(library, models, compiler);
}

Status save(const Engine& engine, const CommandOptions& options, const json& report) {
  const DeferInterrupts defer;
  NPU_TRY(engine.save(options.output));
  if (!options.report.empty()) NPU_TRY(write_file(options.report, json_text(report)));
  return ok();
}

/// Nothing that is read may be what is written.
Status check_paths(const CommandOptions& options) {
  for (const std::string* written : {&options.output, &options.report}) {
    for (const std::string& model : options.models) {
      std::error_code missing;
      if (!written->empty() && std::filesystem::equivalent(model, *written, missing))
        return fail(ErrorId::kBadOption, "the output would replace the model",
                    text("'", *written, "'"), "another file", "write to another file");
    }
  }
  return ok();
}

Result<int> run(const CommandOptions& options) {
  NPU_TRY(check_paths(options));
  NPU_LET(const Library library, options.devices.library());
  NPU_LET(const Engine engine, compile_models(library, options));
  NPU_LET(json report, engine_json(engine));
  add_pass_times(engine.times(), report);
  if (options.models.size() == 1)
    report["model"] = options.models[0];
  else
    report["models"] = options.models;
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
  CLI::App* app =
      root.add_subcommand("compile", "Compile a model, or several together, into one engine file");
  auto options = std::make_shared<CommandOptions>();
  app->add_option(
         "model", options->models,
         "ONNX model, or one that is exported first: .pt2, .pb, .keras, .h5, the folder of "
         "a SavedModel; several become one engine that runs all of them")
      ->required()
      ->type_name("MODEL");
  app->add_option("-o,--output", options->output, "Engine file to write")
      ->required()
      ->type_name("ENGINE");
  add_repeated(*app, "--name", options->names,
               "Name of a model among several, in order: \"name/x\" is its port x where another "
               "model has an x too; default: its file's name; repeatable")
      ->type_name("NAME");
  add_repeated(*app, "--input-name", options->ports.inputs,
               "Input of a model that is exported: of a .pb, the tensor to take; repeatable")
      ->type_name("NAME");
  add_repeated(*app, "--output-name", options->ports.outputs, "The same for an output")
      ->type_name("NAME");
  options->compile.add(*app, true);
  options->devices.add(*app);
  app->add_option("--report", options->report,
                  "Write what was done, and where each node runs, as JSON")
      ->type_name("FILE.json");
  app->add_flag("--json", options->as_json, "Print the report as JSON");
  return {app, [options] { return run(*options); }};
}

}  // namespace npugraph::tools
