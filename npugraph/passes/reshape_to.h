// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// The constant second input with which Reshape turns `in` into `out`: numbers, 0 for a dim that is
/// copied, and at most one -1. Nothing when no such constant is right for every size.
std::optional<std::vector<int64_t>> reshape_target(const Value& in, const Shape& out);

/// A Reshape of `in`, placed before `node`, whose type equals that of node's output; null when it
/// cannot be written with a constant target, or inference would know less of it.
Result<Node*> insert_reshape(Node& node, Value& in);

}  // namespace npugraph
