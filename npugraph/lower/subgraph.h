// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// A graph of its own with clones of `nodes` (of one graph, in order). inputs: values from outside
/// that they read, which become graph inputs; constants are brought along, their bytes shared;
/// outputs: values of the nodes that become graph outputs. Names and types are kept.
Result<std::unique_ptr<Graph>> extract_subgraph(const Graph& graph, std::span<Node* const> nodes,
                                                std::span<Value* const> inputs,
                                                std::span<Value* const> outputs);

}  // namespace npugraph
