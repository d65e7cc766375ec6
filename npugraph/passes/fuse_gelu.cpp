// SPDX-License-Identifier: Apache-2.0
// Gelu(x) = x * 0.5 * (1 + erf(x / sqrt 2)), with the three factors in any order.
#include <numbers>

#include "npugraph/passes/activation_patterns.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// Whether `half` is x * 0.5 made by a node, which it then is.
const Node* half_of(const Value* half, const Value& x) {
  const Node* node = half != nullptr ? half->producer() : nullptr;
  return scales_by(node, x, 0.5) ? node : nullptr;
}

/// From the sum 1 + erf(…) to the root of the product with x and 0.5.
struct Product {
  Node* root = nullptr;
  const Node* inner = nullptr;  // the other node of the product
};
Product find_product(const Node& sum, const Value& x) {
  Node* const first = sole_user(*sum.output());
  if (first == nullptr) return {};
  if (first->is("Mul")) {
    const Value* other = other_input(*first, *sum.output());
    if (const Node* half = half_of(other, x)) return {first, half};
    if (other == &x) {
      Node* const second = sole_user(*first->output());
      if (scales_by(second, *first->output(), 0.5)) return {second, first};
    }
  }
  if (scales_by(first, *sum.output(), 0.5)) {
    Node* const second = sole_user(*first->output());
    if (second != nullptr && second->is("Mul") && other_input(*second, *first->output()) == &x) {
      return {second, first};
    }
  }
  return {};
}

Result<bool> fuse(const Node& erf) {
  const Node* scaled = erf.input(0)->producer();
  const Node* sum = sole_user(*erf.output());
  if (scaled == nullptr || scaled->inputs().size() != 2 || sum == nullptr || !sum->is("Add") ||
      !is_scalar(other_input(*sum, *erf.output()), 1)) {
    return false;
  }
  Value* const x = scaled->input(0)->constant() != nullptr ? scaled->input(1) : scaled->input(0);
  if (!scales_by(scaled, *x, std::numbers::sqrt2 / 2)) return false;
  const Product product = find_product(*sum, *x);
  if (product.root == nullptr) return false;
  return replace_pattern(*product.root, *x, "Gelu", {},
                         {scaled, &erf, sum, product.inner, product.root});
}

}  // namespace

Result<int64_t> fuse_gelu(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  for (const Node* node : nodes_of(graph, {"Erf"})) {
    NPU_LET(const bool fused, fuse(*node));
    changes += fused ? 1 : 0;
  }
  if (changes != 0) NPU_TRY(eliminate_dead_code(graph, context));
  return changes;
}

}  // namespace npugraph::passes
