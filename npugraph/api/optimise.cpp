// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <system_error>

#include "npugraph/api/library.h"
#include "npugraph/api/optimise_graph.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/frontends/onnx/write.h"

namespace npugraph {
namespace {

// How far optimising is when a stage begins.
constexpr double kOptimise = 0.3, kWrite = 0.8;

/// The passes' options; those that make what not every ONNX runtime takes are off.
Result<PassOptions> onnx_pass_options(const CompileOptions& options, std::span<const Pass> table) {
  PassOptions out = pass_options(options, table);
  for (const Pass& pass : table) {
    if (pass.onnx) continue;
    const auto [row, is_new] = out.switches.emplace(pass.name, false);
    if (row->second)
      return fail(ErrorId::kBadOption, "not every ONNX runtime takes what the pass makes",
                  text("'", pass.name, "' switched on"), "passes that keep a model ONNX");
  }
  return out;
}

}  // namespace

Result<OptimiseReport> optimise(const Library& library, const std::filesystem::path& model,
                                const std::filesystem::path& output,
                                const CompileOptions& options) {
  NPU_TRY(library.state().find(options.device));
  const std::vector<Pass> table = library.state().user_passes->table();
  NPU_LET(const PassOptions how, onnx_pass_options(options, table));
  std::error_code missing;
  if (std::filesystem::equivalent(model, output, missing))
    return fail(ErrorId::kBadOption, "the output would replace the model",
                text("'", output.string(), "'"), "another file", "write to another file");
  Stages stages(options.progress, "optimising");
  NPU_TRY(stages.start("reading", 0));
  NPU_LET(const std::unique_ptr<Graph> graph,
          read_onnx(model, {.keep_inputs = options.keep_inputs}));
  NPU_LET(const PassWork work,
          optimise_graph(*graph, options, how, table, stages, kOptimise, kWrite));
  OptimiseReport out{.nodes_before = work.nodes_before, .nodes_after = work.nodes_after};
  for (const PassReport& row : sum_by_pass(work.calls))
    out.changes.emplace_back(row.name, row.changes);

  NPU_TRY(stages.start("writing", kWrite));
  NPU_LET(out.data, write_onnx_file(*graph, output));
  return out;
}

}  // namespace npugraph
