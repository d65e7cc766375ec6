// SPDX-License-Identifier: Apache-2.0
// Conv, then an Add of a tensor of the same shape, then an activation (each of the two optional)
// become one npugraph::FusedConv.
#include <algorithm>

#include "npugraph/passes/epilogue.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {

Result<int64_t> fuse_conv_activation(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  std::vector<Node*> nodes = nodes_of(graph, {"Conv"});
  // Of two Convs that are added, the later one takes the sum: the other's result is ready then.
  std::reverse(nodes.begin(), nodes.end());
  for (Node* conv : nodes) {
    const Epilogue epilogue = match_epilogue(*conv, {.bias = false});
    if (epilogue.nodes.empty()) continue;
    NPU_TRY(replace_by_fused(*conv, epilogue, "FusedConv",
                             {conv->input(0), conv->input(1), conv->input(2), epilogue.residual},
                             conv->attrs()));
    ++changes;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
