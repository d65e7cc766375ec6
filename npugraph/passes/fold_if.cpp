// SPDX-License-Identifier: Apache-2.0
// An If whose condition is known is replaced by the nodes of the branch that it takes. One whose
// condition is data stays, with both branches.
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

std::optional<bool> known_condition(const Node& node) {
  const Value* condition = node.input(0);
  if (condition == nullptr) return std::nullopt;
  if (const std::optional<double> number = scalar_of(condition)) return *number != 0;
  if (!condition->content || condition->content->size() != 1) return std::nullopt;
  const std::optional<int64_t> number = condition->content->front().known();
  return number ? std::optional(*number != 0) : std::nullopt;
}

/// A graph output needs a value of its own that a node of this graph makes.
Result<Value*> stand_in(Node& node, Value& output, Value& result) {
  if (can_redirect(output, result)) return &result;
  NPU_LET(Node* const copy, insert_node(node, "", "Identity", node.name(), {&result}, {}));
  copy->origins = origins_of(node);
  return copy->output();
}

}  // namespace

Result<int64_t> fold_if(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    if (!node->is("If")) continue;
    const std::optional<bool> condition = known_condition(*node);
    if (!condition) continue;
    Graph* const branch = node->subgraph(*condition ? "then_branch" : "else_branch");
    if (branch == nullptr) continue;
    const std::vector<Value*> results = graph.inline_subgraph(*node, *branch, {});
    const std::string node_name = node->name();
    std::vector<std::pair<Value*, std::string>> renames;
    for (size_t i = 0; i < node->outputs().size() && i < results.size(); ++i) {
      Value* const output = node->outputs()[i];
      NPU_LET(Value* const by, stand_in(*node, *output, *results[i]));
      if (is_any_output(*output)) renames.emplace_back(by, output->name());
      graph.replace_uses(*output, *by);
    }
    graph.erase(*node);
    for (auto& [value, name] : renames) {
      graph.rename(*value, std::move(name));
      Node& maker = *value->producer();
      if (maker.is("Identity") && maker.origins == Strings{node_name}) {
        graph.rename(maker, node_name);
      }
    }
    ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
