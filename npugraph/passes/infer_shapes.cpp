// SPDX-License-Identifier: Apache-2.0
// Infers types and known contents of every value, nested graphs included.
#include "npugraph/ir/infer.h"
#include "npugraph/passes/passes.h"

namespace npugraph::passes {

Result<int64_t> infer_shapes(Graph& graph, const PassContext&) {
  struct Before {
    const Value* value;
    bool had_type;
    TensorType type;
  };
  std::vector<Before> before;
  for (const Value* value : graph.values()) before.push_back({value, value->has_type, value->type});
  NPU_TRY(infer_types(graph));
  int64_t changes = 0;
  for (const Before& old : before) {
    if (old.had_type != old.value->has_type || !(old.type == old.value->type)) ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
