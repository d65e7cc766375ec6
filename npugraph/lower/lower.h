// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "npugraph/engine/engine.h"
#include "npugraph/ir/graph.h"
#include "npugraph/target/target.h"

namespace npugraph {

struct LowerOptions {
  std::vector<std::string> order;  // names of the outermost graph's nodes; empty: the compiler's
  bool minimise_memory = true;     // search an order with a lower peak; else the graph's own
  bool reuse_buffers = true;       // values that never live at once share memory
  bool allow_fast = false;         // implementations marked fast may be chosen,
  std::vector<std::string> precise = {};  // but not for these (accuracy.h)
  /// Told how far compiling is (0..1) before each node; false ends the work with kCancelled.
  std::function<bool(double)> keep_going = {};
  TargetOptions compile;
};

/// Turns an optimised, typed graph into the parts of an engine: places every node (partition.h),
/// orders the work (schedule.h), compiles each unit, plans memory, and lists tasks and copies.
/// targets: [0] is the cpu, which takes what no other does; earlier ones of the rest come first.
/// The graph is changed: outputs that no node makes get an Identity, nodes get their device.
/// Errors: kNodeUnplaced, kBadOrder, kUnknownDim, and those of the targets, each with its node.
Result<EngineParts> lower(Graph& graph, std::span<const Target* const> targets,
                          const LowerOptions& options);

}  // namespace npugraph
