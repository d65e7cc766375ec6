// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "npugraph/api/engine_state.h"
#include "npugraph/api/library.h"
#include "npugraph/api/merge.h"
#include "npugraph/api/optimise_graph.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"
#include "npugraph/lower/lower.h"

namespace npugraph {
namespace {

// How far compiling is when a stage begins.
constexpr double kOptimise = 0.2, kLower = 0.5, kWrite = 0.9;

Result<Engine> compile_graph(const Library& library, Result<std::unique_ptr<Graph>> read,
                             int64_t read_us, const CompileOptions& options, Stages& stages) {
  if (!read) return std::move(read).error();
  Graph& graph = **read;
  NPU_LET(const std::vector<const Target*> targets, library.state().targets_for(options.device));
  CompileTimes times;
  times.read_us = read_us;

  const std::vector<Pass> table = library.state().user_passes->table();
  NPU_LET(const PassWork work, optimise_graph(graph, options, pass_options(options, table), table,
                                              stages, kOptimise, kLower));
  std::vector<PassRow> passes;
  for (const PassReport& row : sum_by_pass(work.calls)) {
    passes.push_back({row.name, row.changes, row.nodes_before, row.nodes_after});
    times.passes_us.emplace_back(row.name, row.microseconds);
  }
  graph.metadata["nodes.model"] = std::to_string(work.nodes_before);
  graph.metadata["nodes.optimised"] = std::to_string(work.nodes_after);
  graph.metadata["options.device"] = options.device;
  graph.metadata["options.opt_level"] = std::to_string(options.opt_level);
  times.optimise_us = stages.elapsed_us();

  NPU_TRY(stages.start("lowering", kLower));
  LowerOptions lower_options;
  lower_options.order = options.order;
  lower_options.minimise_memory = options.minimise_memory;
  lower_options.reuse_buffers = options.reuse_buffers;
  lower_options.allow_fast = options.opt_level >= kFastLevel;
  lower_options.precise = options.precise;
  lower_options.compile.opt_level = options.opt_level;
  lower_options.keep_going = [&](double done) {
    return stages.go_on("lowering", kLower + done * (kWrite - kLower));
  };
  NPU_LET(EngineParts parts, lower(graph, targets, lower_options));
  parts.plan.passes = std::move(passes);
  times.lower_us = stages.elapsed_us();

  NPU_TRY(stages.start("writing", kWrite));
  NPU_LET(std::string bytes, engine_bytes(std::move(parts)));
  read->reset();  // the graph and the engine need not be in memory at once from here on
  auto state = std::make_shared<Engine::State>();
  NPU_LET(state->file, EngineFile::from_bytes(std::move(bytes)));
  times.write_us = stages.elapsed_us();
  return Engine(std::move(state), times);
}

}  // namespace

Result<Engine> compile(const Library& library, const std::filesystem::path& model,
                       const CompileOptions& options) {
  Stages stages(options.progress, "compiling");
  NPU_TRY(stages.start("reading", 0));
  auto graph = read_onnx(model, {.keep_inputs = options.keep_inputs});
  const int64_t read_us = stages.elapsed_us();
  return compile_graph(library, std::move(graph), read_us, options, stages);
}

Result<Engine> compile(const Library& library, std::span<const std::byte> model,
                       const CompileOptions& options) {
  Stages stages(options.progress, "compiling");
  NPU_TRY(stages.start("reading", 0));
  auto graph = read_onnx(model, {.keep_inputs = options.keep_inputs});
  const int64_t read_us = stages.elapsed_us();
  return compile_graph(library, std::move(graph), read_us, options, stages);
}

namespace {

/// The inputs to keep of one merged model: those that are given as "name/input".
std::vector<std::string> keep_inputs_of(const MergedModel& model, const CompileOptions& options) {
  std::vector<std::string> own;
  const std::string prefix = model.name + "/";
  for (const std::string& input : options.keep_inputs)
    if (input.starts_with(prefix)) own.push_back(input.substr(prefix.size()));
  return own;
}

/// Errors: kBadOption for an input to keep that is of none of the models.
Status check_keep_inputs(std::span<const MergedModel> models, const CompileOptions& options) {
  for (const std::string& input : options.keep_inputs)
    if (std::none_of(models.begin(), models.end(),
                     [&](const MergedModel& model) { return input.starts_with(model.name + "/"); }))
      return fail(ErrorId::kBadOption, "an input to keep is of none of the models",
                  text("'", input, "'"), "\"name/input\", with the name of a model");
  return ok();
}

}  // namespace

Result<Engine> merge(const Library& library, std::span<const MergedModel> models,
                     const CompileOptions& options) {
  Stages stages(options.progress, "compiling");
  NPU_TRY(stages.start("reading", 0));
  NPU_TRY(check_keep_inputs(models, options));
  std::vector<NamedGraph> graphs;
  for (const MergedModel& model : models) {
    const auto done = static_cast<double>(graphs.size()) / static_cast<double>(models.size());
    NPU_TRY(stages.reach("reading", done * kOptimise));
    const ReadOptions read{.keep_inputs = keep_inputs_of(model, options)};
    auto graph = model.path.empty() ? read_onnx(model.bytes, read) : read_onnx(model.path, read);
    if (!graph) return at(text("model '", model.name, "'"), std::move(graph).error());
    graphs.push_back({model.name, *std::move(graph)});
  }
  auto merged = merge_graphs(std::move(graphs));
  const int64_t read_us = stages.elapsed_us();
  return compile_graph(library, std::move(merged), read_us, options, stages);
}

Result<Engine> compile_text(const Library& library, std::string_view graph,
                            const CompileOptions& options) {
  Stages stages(options.progress, "compiling");
  NPU_TRY(stages.start("reading", 0));
  auto read = parse(graph);
  if (!read && read.error().id == ErrorId::kIrParse) {
    Error error = std::move(read).error();
    error.fix =
        "correct the text at the line that is named; `npugraph inspect ENGINE --graph` "
        "prints a graph in this form";
    return error;
  }
  if (read) {
    NPU_TRY(infer_types(**read));
    NPU_TRY(verify(**read));
  }
  const int64_t read_us = stages.elapsed_us();
  return compile_graph(library, std::move(read), read_us, options, stages);
}

}  // namespace npugraph
