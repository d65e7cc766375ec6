// SPDX-License-Identifier: Apache-2.0
// Transpose of Transpose becomes one (remove_identity takes it when they cancel), and a Transpose
// that only moves dims of size 1 becomes a Reshape, which moves no data.
#include "npugraph/passes/passes.h"
#include "npugraph/passes/permutation.h"
#include "npugraph/passes/reshape_to.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

Result<bool> join(Node& node) {
  Node* const inner = made_by(node.input(0), "Transpose");
  if (inner == nullptr || &inner->graph() != &node.graph()) return false;
  const std::optional<Ints> first = permutation_of(*inner);
  const std::optional<Ints> second = permutation_of(node);
  if (!first || !second || first->size() != second->size()) return false;
  NPU_TRY(node.set_attr("perm", compose(*first, *second)));
  node.set_input(0, inner->input(0));
  merge_origins(node, {inner, &node});
  return true;
}

Result<bool> to_reshape(Node& node) {
  const Value* in = node.input(0);
  const std::optional<Ints> perm = permutation_of(node);
  if (!perm || !in->has_type || !in->type.shape.ranked() || is_identity(*perm) ||
      !keeps_order(in->type.shape, *perm)) {
    return false;
  }
  NPU_LET(Node* const reshape, insert_reshape(node, *node.input(0)));
  if (reshape == nullptr) return false;
  reshape->origins = origins_of(node);
  replace_node(node, *reshape);
  return true;
}

}  // namespace

Result<int64_t> cleanup_transpose(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    if (!node->is("Transpose")) continue;
    NPU_LET(const bool composed, join(*node));
    NPU_LET(const bool reshaped, to_reshape(*node));
    changes += (composed ? 1 : 0) + (reshaped ? 1 : 0);
  }
  return changes;
}

}  // namespace npugraph::passes
