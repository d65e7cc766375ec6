// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "npugraph/passes/pass.h"
#include "npugraph/passes/self_check.h"

namespace npugraph {

struct PassOptions {
  int64_t opt_level = 2;  // 0..kMaxOptLevel
  /// On or off by the pass's name; overrides the level.
  std::map<std::string, bool, std::less<>> switches = {};
  /// verify() after each pass.
  bool verify = true;
  /// Runs the graph with the reference implementations after each pass and compares. Slow.
  bool self_check = false;
  SelfCheckOptions self_check_options = {};
  /// Folder that gets the graph as text before and after each call of a pass that changed it, the
  /// difference in nodes, and an index of these calls (passes/dump.h); empty: none.
  std::filesystem::path dump_dir = {};
  int64_t max_rounds = 16;
  /// Stops after this many calls of passes: to find the call that does harm.
  int64_t max_calls = std::numeric_limits<int64_t>::max();
  /// Asked before each call of a pass; false ends the work with kCancelled.
  std::function<bool()> keep_going = {};
  PassContext context = {};
};

/// One call of one pass over the whole graph. Nodes count nested graphs.
struct PassReport {
  std::string name;
  int64_t changes = 0;
  int64_t nodes_before = 0;
  int64_t nodes_after = 0;
  int64_t microseconds = 0;
};

/// Runs the passes of `table` that are on over `graph` and the graphs nested in it. Returns a
/// report for each call, in order. After an error the graph is of no use. Errors: kBadOption
/// (level, or a switch for a pass that there is not), kFileWrite (dump_dir), kPassFailed (verify();
/// a pass that is not built in never stops changing the graph, or makes it too large),
/// kPassChangedNumbers, and those of the passes, each with the pass's name.
Result<std::vector<PassReport>> run_passes(Graph& graph, const PassOptions& options,
                                           std::span<const Pass> table = pipeline());

}  // namespace npugraph
