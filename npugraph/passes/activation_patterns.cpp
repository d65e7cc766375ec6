// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/activation_patterns.h"

#include "npugraph/passes/rewrite.h"

namespace npugraph {

bool scales_by(const Node* node, const Value& v, double factor) {
  if (node == nullptr) return false;
  if (node->is("Div")) {
    return node->input(0) == &v && is_scalar(node->input(1), 1 / factor, kConstantTolerance);
  }
  return node->is("Mul") && is_scalar(other_input(*node, v), factor, kConstantTolerance);
}

Result<bool> replace_pattern(Node& root, Value& x, std::string_view op, Attrs attrs,
                             std::initializer_list<const Node*> parts) {
  if (find_op("", op) == nullptr || !is_float_type(x) || !same_type(x, *root.output()))
    return false;
  NPU_LET(Node* const node, insert_node(root, "", op, root.name(), {&x}, std::move(attrs)));
  merge_origins(*node, parts);
  replace_node(root, *node);
  return true;
}

}  // namespace npugraph
