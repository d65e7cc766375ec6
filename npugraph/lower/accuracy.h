// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// Sets Node::allow_fast to `fast`, here and in nested graphs, but for the nodes that `precise`
/// keeps: those of an operator that it lists, and those of which a name in the model matches, as a
/// whole, a regular expression of it (POSIX extended).
/// Errors: kBadOption: no regular expression, or too costly a one; neither an operator nor the name
/// of a node.
Status choose_accuracy(Graph& graph, bool fast, std::span<const std::string> precise);

}  // namespace npugraph
