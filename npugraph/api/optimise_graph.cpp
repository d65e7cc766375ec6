// SPDX-License-Identifier: Apache-2.0
#include "npugraph/api/optimise_graph.h"

#include <algorithm>
#include <utility>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"

namespace npugraph {
namespace {

static_assert(CompileOptions::kMaxOptLevel == kMaxOptLevel, "the public name of the same number");

// How many passes there will be is not known: this many count as half of the way.
constexpr double kFewPasses = 30;

}  // namespace

Status Stages::start(std::string_view stage, double fraction) {
  begin_ = std::chrono::steady_clock::now();
  return reach(stage, fraction);
}

Status Stages::reach(std::string_view stage, double fraction) const {
  if (go_on(stage, fraction)) return ok();
  return fail(ErrorId::kCancelled, text(work_, " was interrupted while it was ", stage));
}

int64_t Stages::elapsed_us() const {
  const auto elapsed = std::chrono::steady_clock::now() - begin_;
  return std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
}

PassOptions pass_options(const CompileOptions& options, std::span<const Pass> table) {
  PassOptions out;
  out.opt_level = options.opt_level;
  out.switches = options.passes;
  out.self_check = options.self_check;
  out.dump_dir = options.dump_passes;
  out.max_calls = options.max_pass_calls;
  if (options.device == "cpu") return out;
  for (const Pass& pass : table)
    if (pass.cpu_only && !out.switches.contains(pass.name)) out.switches.emplace(pass.name, false);
  return out;
}

Result<PassWork> optimise_graph(Graph& graph, const CompileOptions& options, PassOptions how,
                                std::span<const Pass> table, Stages& stages, double from,
                                double to) {
  if (!options.shapes.empty()) NPU_TRY(bind_shapes(graph, options.shapes));
  NPU_TRY(stages.start("optimising", from));
  PassWork out;
  out.nodes_before = graph.total_node_count();
  int64_t calls = 0;
  how.keep_going = [&] {
    const double done = 1 - 1 / (1 + static_cast<double>(calls++) / kFewPasses);
    return stages.go_on("optimising", from + done * (to - from));
  };
  NPU_LET(out.calls, run_passes(graph, how, table));
  out.nodes_after = graph.total_node_count();
  return out;
}

std::vector<PassReport> sum_by_pass(const std::vector<PassReport>& calls) {
  std::vector<PassReport> rows;
  for (const PassReport& call : calls) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const PassReport& known) { return known.name == call.name; });
    if (row == rows.end()) {
      rows.push_back(call);
      continue;
    }
    row->changes += call.changes;
    row->nodes_after += call.nodes_after - call.nodes_before;
    row->microseconds += call.microseconds;
  }
  return rows;
}

}  // namespace npugraph
