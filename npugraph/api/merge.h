// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// A graph and the name under which it is merged.
struct NamedGraph {
  std::string name;
  std::unique_ptr<Graph> graph;
};

/// One graph that holds all of `graphs` side by side; inputs and outputs in the order of the
/// graphs. A port keeps its name when no other graph has a port of that name, else it becomes
/// "name/port"; nodes and inner values always become "name/…". A symbol that several graphs use
/// becomes "name.symbol": the graphs' open dims are independent of each other.
/// Errors: kBadOption (no graph, a name that is empty or given twice, two ports that would have one
/// name), and those of inference.
Result<std::unique_ptr<Graph>> merge_graphs(std::vector<NamedGraph> graphs);

}  // namespace npugraph
