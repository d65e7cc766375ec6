// SPDX-License-Identifier: Apache-2.0
// Transpose of Transpose becomes one (remove_identity takes it when they cancel), and a Transpose
// that only moves dims of size 1 becomes a Reshape, which moves no data.
#include "npugraph/passes/passes.h"
#include "npugraph/passes/reshape_to.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// The permutation; without the attribute, the axes reversed.
std::optional<Ints> permutation(const Node& node) {
  if (node.attrs().has("perm") && !node.attrs().ints("perm").empty()) {
    return node.attrs().ints("perm");
  }
  const Value* in = node.input(0);
  if (!in->has_type || !in->type.shape.ranked()) return std::nullopt;
  Ints perm;
  for (int64_t axis = in->type.shape.rank() - 1; axis >= 0; --axis) perm.push_back(axis);
  return perm;
}

/// True when the dims that are not 1 keep their order, and at least one dim moves.
bool moves_only_ones(const Shape& shape, const Ints& perm) {
  int64_t last = -1;
  bool moves = false;
  for (size_t i = 0; i < perm.size(); ++i) {
    moves = moves || perm[i] != static_cast<int64_t>(i);
    if (shape[perm[i]] == Dim(1)) continue;
    if (perm[i] < last) return false;
    last = perm[i];
  }
  return moves;
}

Result<bool> compose(Node& node) {
  Node* const inner = made_by(node.input(0), "Transpose");
  if (inner == nullptr || &inner->graph() != &node.graph()) return false;
  const std::optional<Ints> first = permutation(*inner);
  const std::optional<Ints> second = permutation(node);
  if (!first || !second || first->size() != second->size()) return false;
  Ints both;
  for (const int64_t axis : *second) both.push_back((*first)[static_cast<size_t>(axis)]);
  NPU_TRY(node.set_attr("perm", both));
  node.set_input(0, inner->input(0));
  merge_origins(node, {inner, &node});
  return true;
}

Result<bool> to_reshape(Node& node) {
  const Value* in = node.input(0);
  const std::optional<Ints> perm = permutation(node);
  if (!perm || !in->has_type || !in->type.shape.ranked() ||
      !moves_only_ones(in->type.shape, *perm)) {
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
    NPU_LET(const bool composed, compose(*node));
    NPU_LET(const bool reshaped, to_reshape(*node));
    changes += (composed ? 1 : 0) + (reshaped ? 1 : 0);
  }
  return changes;
}

}  // namespace npugraph::passes
