// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/subgraph.h"

#include <map>

namespace npugraph {

Result<std::unique_ptr<Graph>> extract_subgraph(const Graph& graph, std::span<Node* const> nodes,
                                                std::span<Value* const> inputs,
                                                std::span<Value* const> outputs) {
  auto out = std::make_unique<Graph>(graph.name());
  std::map<const Value*, Value*> copies;
  for (const Value* value : inputs) copies[value] = &out->add_input(value->name(), value->type);
  for (const Node* node : nodes) {
    NPU_CHECK(node->subgraphs().empty(), "control flow is not compiled by a target");
    std::vector<Value*> in;
    for (const Value* value : node->inputs()) {
      if (value == nullptr) {
        in.push_back(nullptr);
        continue;
      }
      Value*& copy = copies[value];
      if (copy == nullptr) {
        NPU_CHECK(value->constant() != nullptr, "a value from outside is not among the inputs");
        copy = &out->add_constant(value->name(), *value->constant());
      }
      in.push_back(copy);
    }
    std::vector<std::string> names;
    for (const Value* value : node->outputs()) names.push_back(value->name());
    NPU_LET(Node* const clone, out->add_node(node->schema().domain, node->op(), node->name(),
                                             std::move(in), node->attrs(), std::move(names)));
    clone->device = node->device;
    clone->origins = node->origins;
    clone->allow_fast = node->allow_fast;
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      clone->outputs()[i]->type = node->outputs()[i]->type;
      clone->outputs()[i]->has_type = true;
      clone->outputs()[i]->content = node->outputs()[i]->content;
      copies[node->outputs()[i]] = clone->outputs()[i];
    }
  }
  for (const Value* value : outputs) out->add_output(*copies.at(value));
  return out;
}

}  // namespace npugraph
