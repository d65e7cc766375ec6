// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "npugraph/ir/graph.h"
#include "npugraph/target/target.h"

namespace npugraph {

/// Nodes that run as one program: one node, or a region of a target that takes whole regions.
struct Unit {
  int32_t target = 0;        // index into the targets
  std::vector<Node*> nodes;  // in graph order
};

/// Sets Node::device, here and in nested graphs, to the first target after the cpu that supports
/// the node, else to the cpu, and adds one row a node to `placements`, with the reason of the first
/// target that refused. Control flow always runs on the cpu, which owns the predicate. A node that
/// not even the cpu takes gets no device.
void place_nodes(Graph& graph, std::span<const Target* const> targets,
                 std::vector<Placement>& placements);

/// Groups the placed nodes of one graph into units. A region never depends on itself through
/// another unit, so that the units can always be put in order.
std::vector<Unit> form_units(const Graph& graph, std::span<const Target* const> targets);

/// Values that cross between devices, each counted once for every device that reads it, nested
/// graphs included: the number of copies a run cannot avoid.
int64_t count_cut_edges(const Graph& graph);

}  // namespace npugraph
