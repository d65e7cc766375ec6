// SPDX-License-Identifier: Apache-2.0
// Removes nodes none of whose outputs is read or is a graph output, then unused constants.
#include <algorithm>

#include "npugraph/passes/passes.h"

namespace npugraph::passes {

Result<int64_t> eliminate_dead_code(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  std::vector<Node*> nodes = graph.nodes();
  std::reverse(nodes.begin(), nodes.end());  // readers go first, then what only they read
  for (Node* node : nodes) {
    const bool is_live = std::any_of(node->outputs().begin(), node->outputs().end(),
                                     [](const Value* value) { return value->is_used(); });
    if (is_live) continue;
    graph.erase(*node);
    ++changes;
  }
  return changes + graph.erase_unused_constants();
}

}  // namespace npugraph::passes
