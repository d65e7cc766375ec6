// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/ir/graph.h"

namespace npugraph {

/// Whether the node computes the same, bit for bit, on inputs whose axes are in another order, once
/// its own axes are renamed. perm: what is read now is Transpose(raw, perm).
bool follows_layout(const Node& node, const Ints& perm);

/// The inputs of such a node that have the axes of its data: those that change their layout.
/// Values of one element have the same data in each.
std::vector<int64_t> layout_inputs(const Node& node, const Ints& perm);

/// Renames the axes in the attributes and the constant inputs of such a node; its data inputs are
/// raw by now. Errors: those of Node::set_attr().
Status rename_axes(Node& node, const Ints& perm);

}  // namespace npugraph
