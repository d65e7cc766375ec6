// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// Constants of a formula are taken for the exact numbers up to float32 rounding.
inline constexpr double kConstantTolerance = 1e-6;

/// True when `node` is v * factor: a Mul by that scalar, or a Div of v by 1 / factor.
bool scales_by(const Node* node, const Value& v, double factor);

/// Puts op(x) in place of `root`, the last node of a pattern, when both have the same type: it
/// takes root's name and the origins of `parts`. What only the pattern read is left as dead code.
Result<bool> replace_pattern(Node& root, Value& x, std::string_view op, Attrs attrs,
                             std::initializer_list<const Node*> parts);

}  // namespace npugraph
