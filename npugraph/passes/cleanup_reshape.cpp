// SPDX-License-Identifier: Apache-2.0
// Reshape, Squeeze and Unsqueeze that follow each other become one Reshape with a constant
// target, where such a target exists; a target that is computed at run time, needlessly, goes too.
#include "npugraph/passes/passes.h"
#include "npugraph/passes/reshape_to.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

bool is_reshaping(const Node* node) {
  return node != nullptr && (node->is("Reshape") || node->is("Squeeze") || node->is("Unsqueeze"));
}

}  // namespace

Result<int64_t> cleanup_reshape(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    if (!is_reshaping(node)) continue;
    Value* source = node->input(0);
    // Nodes of a graph around this one are left where they are: they run once, this one may loop.
    while (is_reshaping(source->producer()) && &source->graph() == &graph) {
      source = source->producer()->input(0);
    }
    const bool normal = node->is("Reshape") && node->input(1)->constant() != nullptr;
    if (source == node->input(0) && normal) continue;
    NPU_LET(Node* const reshape, insert_reshape(*node, *source));
    if (reshape == nullptr) continue;
    reshape->origins = origins_of(*node);
    replace_node(*node, *reshape);
    ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
