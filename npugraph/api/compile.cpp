// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "npugraph/api/engine_state.h"
#include "npugraph/api/library.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/ir/infer.h"
#include "npugraph/lower/lower.h"
#include "npugraph/passes/runner.h"

namespace npugraph {
namespace {

/// Reports stages and measures them.
class Stages {
 public:
  explicit Stages(const Progress& progress) : progress_(progress) {}

  Status start(std::string_view stage, double fraction) {
    begin_ = std::chrono::steady_clock::now();
    if (!progress_ || progress_(stage, fraction)) return ok();
    return fail(ErrorId::kCancelled, text("compiling was interrupted while it was ", stage));
  }
  int64_t elapsed_us() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                 begin_)
        .count();
  }

 private:
  const Progress& progress_;
  std::chrono::steady_clock::time_point begin_;
};

/// Fusions that make operators which only the cpu has: where another device would take the parts,
/// they are left as they are.
void keep_parts_for_device(std::string_view device, PassOptions& options) {
  if (device == "cpu") return;
  for (const Pass& pass : pipeline())
    if (pass.makes_cpu_ops && !options.switches.contains(pass.name))
      options.switches.emplace(pass.name, false);
}

/// Runs the passes; one row and one time a pass, rounds summed.
Status optimise(Graph& graph, const CompilerOptions& options, std::vector<PassRow>& rows,
                std::vector<std::pair<std::string, int64_t>>& times_us) {
  PassOptions pass_options;
  pass_options.opt_level = options.opt_level;
  pass_options.switches = options.passes;
  pass_options.self_check = options.self_check;
  pass_options.dump_dir = options.dump_passes;
  keep_parts_for_device(options.device, pass_options);
  NPU_LET(const std::vector<PassReport> reports, run_passes(graph, pass_options));
  for (const PassReport& report : reports) {
    const auto hit = std::find_if(rows.begin(), rows.end(),
                                  [&](const PassRow& row) { return row.name == report.name; });
    if (hit == rows.end()) {
      rows.push_back(
          {std::string(report.name), report.changes, report.nodes_before, report.nodes_after});
      times_us.emplace_back(report.name, report.microseconds);
      continue;
    }
    hit->changes += report.changes;
    hit->nodes_after += report.nodes_after - report.nodes_before;  // what this pass removed in all
    times_us[static_cast<size_t>(hit - rows.begin())].second += report.microseconds;
  }
  return ok();
}

Result<Engine> compile_graph(const Library& library, Result<std::unique_ptr<Graph>> read,
                             int64_t read_us, const CompilerOptions& options, Stages& stages) {
  if (!read) return std::move(read).error();
  Graph& graph = **read;
  NPU_LET(const std::vector<const Target*> targets, library.state().targets_for(options.device));
  CompileTimes times;
  times.read_us = read_us;
  if (!options.shapes.empty()) NPU_TRY(bind_shapes(graph, options.shapes));

  NPU_TRY(stages.start("optimising", 0.2));
  std::vector<PassRow> passes;
  const int64_t nodes = graph.total_node_count();
  NPU_TRY(optimise(graph, options, passes, times.passes_us));
  graph.metadata["nodes.model"] = std::to_string(nodes);
  graph.metadata["nodes.optimised"] = std::to_string(graph.total_node_count());
  graph.metadata["options.device"] = options.device;
  graph.metadata["options.opt_level"] = std::to_string(options.opt_level);
  times.optimise_us = stages.elapsed_us();

  NPU_TRY(stages.start("lowering", 0.5));
  LowerOptions lower_options;
  lower_options.order = options.order;
  lower_options.minimise_memory = options.minimise_memory;
  lower_options.reuse_buffers = options.reuse_buffers;
  lower_options.compile.opt_level = options.opt_level;
  NPU_LET(EngineParts parts, lower(graph, targets, lower_options));
  parts.plan.passes = std::move(passes);
  times.lower_us = stages.elapsed_us();

  NPU_TRY(stages.start("writing", 0.9));
  NPU_LET(std::string bytes, engine_bytes(std::move(parts)));
  read->reset();  // the graph and the engine need not be in memory at once from here on
  auto state = std::make_shared<Engine::State>();
  NPU_LET(state->file, EngineFile::from_bytes(std::move(bytes)));
  times.write_us = stages.elapsed_us();
  return Engine(std::move(state), times);
}

}  // namespace

Result<Engine> compile(const Library& library, const std::filesystem::path& model,
                       const CompilerOptions& options) {
  Stages stages(options.progress);
  NPU_TRY(stages.start("reading", 0));
  auto graph = read_onnx(model);
  const int64_t read_us = stages.elapsed_us();
  return compile_graph(library, std::move(graph), read_us, options, stages);
}

Result<Engine> compile(const Library& library, std::span<const std::byte> model,
                       const CompilerOptions& options) {
  Stages stages(options.progress);
  NPU_TRY(stages.start("reading", 0));
  auto graph = read_onnx(model);
  const int64_t read_us = stages.elapsed_us();
  return compile_graph(library, std::move(graph), read_us, options, stages);
}

}  // namespace npugraph
