// SPDX-License-Identifier: Apache-2.0
// HardSwish(x) = x * clip(x + 3, 0, 6) / 6 = x * HardSigmoid(x) with alpha 1/6 and beta 1/2.
#include <cmath>

#include "npugraph/passes/activation_patterns.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

Result<bool> fuse_hard_sigmoid(const Node& gate) {
  const double alpha = gate.attrs().f64("alpha"), beta = gate.attrs().f64("beta");
  if (std::abs(alpha * 6 - 1) > kConstantTolerance || beta != 0.5) return false;
  Node* const product = sole_user(*gate.output());
  Value* const x = gate.input(0);
  if (product == nullptr || !product->is("Mul") || other_input(*product, *gate.output()) != x) {
    return false;
  }
  return replace_pattern(*product, *x, "HardSwish", {}, {&gate, product});
}

Result<bool> fuse_clip(const Node& clip) {
  const Node* sum = made_by(clip.input(0), "Add");
  if (sum == nullptr || !is_scalar(clip.input(1), 0) || !is_scalar(clip.input(2), 6)) return false;
  Value* const x = sum->input(0)->constant() != nullptr ? sum->input(1) : sum->input(0);
  if (!is_scalar(other_input(*sum, *x), 3)) return false;

  Node* const first = sole_user(*clip.output());
  Node* const second = first != nullptr ? sole_user(*first->output()) : nullptr;
  if (second == nullptr) return false;
  const Value& middle = *first->output();
  const bool product_first = first->is("Mul") && other_input(*first, *clip.output()) == x &&
                             scales_by(second, middle, 1.0 / 6);
  const bool sixth_first = scales_by(first, *clip.output(), 1.0 / 6) && second->is("Mul") &&
                           other_input(*second, middle) == x;
  if (!product_first && !sixth_first) return false;
  return replace_pattern(*second, *x, "HardSwish", {}, {sum, &clip, first, second});
}

}  // namespace

Result<int64_t> fuse_hard_swish(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  for (const Node* node : nodes_of(graph, {"HardSigmoid", "Clip"})) {
    NPU_LET(const bool fused,
            node->is("HardSigmoid") ? fuse_hard_sigmoid(*node) : fuse_clip(*node));
    changes += fused ? 1 : 0;
  }
  if (changes != 0) NPU_TRY(eliminate_dead_code(graph, context));
  return changes;
}

}  // namespace npugraph::passes
