// SPDX-License-Identifier: Apache-2.0
// Optional outputs that training needed, and nobody reads, go: masks, indices, last states.
#include "npugraph/ir/infer.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// How many outputs must stay: those up to the last one in use, and those that are not optional.
int64_t outputs_needed(const Node& node) {
  const std::vector<OutputSchema>& rows = node.schema().outputs;
  auto count = static_cast<int64_t>(node.outputs().size());
  while (count > node.schema().min_outputs() && !node.output(count - 1)->is_used() &&
         count <= static_cast<int64_t>(rows.size()) &&
         rows[static_cast<size_t>(count) - 1].arity == Arity::kOptional) {
    --count;
  }
  return count;
}

Status shorten(Node& node, int64_t count) {
  Graph& graph = node.graph();
  const std::span<Value* const> inputs = node.inputs();
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(node.output(i)->name());
  NPU_LET(Node* const by,
          graph.add_node(node.schema().domain, node.op(), node.name(),
                         {inputs.begin(), inputs.end()}, node.attrs(), names, &node));
  NPU_TRY(infer_node(*by));
  by->origins = origins_of(node);
  by->device = node.device;
  for (int64_t i = 0; i < count; ++i) graph.replace_uses(*node.output(i), *by->output(i));
  std::string name = node.name();
  graph.erase(node);
  graph.rename(*by, std::move(name));
  for (int64_t i = 0; i < count; ++i) {
    graph.rename(*by->output(i), std::move(names[static_cast<size_t>(i)]));
  }
  return ok();
}

}  // namespace

Result<int64_t> remove_unused_outputs(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    if (node->outputs().size() < 2 || !node->subgraphs().empty()) continue;
    const int64_t count = outputs_needed(*node);
    if (count == static_cast<int64_t>(node->outputs().size())) continue;
    NPU_TRY(shorten(*node, count));
    ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
