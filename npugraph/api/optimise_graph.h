// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/passes/runner.h"

namespace npugraph {

/// Tells a Progress of the stages of a piece of work, and measures them.
class Stages {
 public:
  /// work: its name in the error of an interrupt, "compiling". `progress` outlives this.
  Stages(const Progress& progress, std::string_view work) : progress_(progress), work_(work) {}

  /// Errors: kCancelled.
  Status start(std::string_view stage, double fraction);
  /// Tells how far a stage is. Errors: kCancelled.
  Status reach(std::string_view stage, double fraction) const;
  /// The same for those who compose the error themselves; false: the work is to end.
  bool go_on(std::string_view stage, double fraction) const {
    return !progress_ || progress_(stage, fraction);
  }
  /// Since the last start().
  int64_t elapsed_us() const;

 private:
  const Progress& progress_;
  std::string work_;
  std::chrono::steady_clock::time_point begin_;
};

/// What CompileOptions say of the passes. For another device than the cpu, fusions that make
/// operators which only the cpu has are off unless they are switched on.
PassOptions pass_options(const CompileOptions& options, std::span<const Pass> table);

/// What the passes did to a graph.
struct PassWork {
  int64_t nodes_before = 0, nodes_after = 0;  // nested graphs included
  std::vector<PassReport> calls;
};

/// Binds the shapes of `options`, then runs the passes of `table` as `how` says: the stage
/// "optimising", from one fraction of the work to another. Errors: as bind_shapes() and
/// run_passes(); kCancelled.
Result<PassWork> optimise_graph(Graph& graph, const CompileOptions& options, PassOptions how,
                                std::span<const Pass> table, Stages& stages, double from,
                                double to);

/// One row for each pass, its calls summed, in the order of the first calls; `nodes_after` says
/// what the pass removed in all.
std::vector<PassReport> sum_by_pass(const std::vector<PassReport>& calls);

}  // namespace npugraph
