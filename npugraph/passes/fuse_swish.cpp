// SPDX-License-Identifier: Apache-2.0
// Swish(x) = x * sigmoid(x).
#include "npugraph/passes/activation_patterns.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {

Result<int64_t> fuse_swish(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  for (const Node* node : nodes_of(graph, {"Sigmoid"})) {
    Node* const product = sole_user(*node->output());
    Value* const x = node->input(0);
    if (product == nullptr || !product->is("Mul") || other_input(*product, *node->output()) != x) {
      continue;
    }
    Attrs attrs;
    attrs.set("alpha", 1.0);
    NPU_LET(const bool fused, replace_pattern(*product, *x, "Swish", attrs, {node, product}));
    changes += fused ? 1 : 0;
  }
  if (changes != 0) NPU_TRY(eliminate_dead_code(graph, context));
  return changes;
}

}  // namespace npugraph::passes
