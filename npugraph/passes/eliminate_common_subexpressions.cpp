// SPDX-License-Identifier: Apache-2.0
// Of several nodes with the same operator, attributes and inputs the first stays; so of equal small
// constants, without which equal shape computations would not meet.
#include <map>

#include "npugraph/base/hash.h"
#include "npugraph/base/text.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

constexpr int64_t kMaxConstantBytes = 4096;

std::string tensor_key(const Tensor& tensor) {
  return text(tensor.type().str(), '#', hash_bytes(tensor.bytes()).hex());
}

/// Equal for nodes that compute the same. Value names are unique, and quoted by their length.
std::string node_key(const Node& node) {
  std::string key = text(node.schema().domain, "::", node.op(), '/', node.outputs().size());
  for (const Value* input : node.inputs()) {
    key += input == nullptr ? "|-" : text('|', input->name().size(), ':', input->name());
  }
  for (const auto& [name, value] : node.attrs()) {
    const Tensor* tensor = std::get_if<Tensor>(&value);
    // 17 digits tell any two doubles apart; strings are quoted by their length.
    std::string content = tensor != nullptr ? tensor_key(*tensor) : attr_str(value);
    if (const double* number = std::get_if<double>(&value)) {
      content = hash_bytes(std::as_bytes(std::span(number, 1))).hex();
    } else if (const Floats* numbers = std::get_if<Floats>(&value)) {
      content = hash_bytes(std::as_bytes(std::span(*numbers))).hex();
    }
    key += text('@', name, '=', content.size(), ':', content);
  }
  return key;
}

int64_t merge_constants(Graph& graph) {
  int64_t changes = 0;
  std::map<std::string, Value*> seen;
  for (Value* value : graph.values()) {
    const Tensor* tensor = value->constant();
    if (tensor == nullptr || value->uses().empty() || is_any_output(*value) ||
        static_cast<int64_t>(tensor->bytes().size()) > kMaxConstantBytes) {
      continue;
    }
    const auto [entry, is_new] = seen.emplace(tensor_key(*tensor), value);
    if (is_new) continue;
    graph.replace_uses(*value, *entry->second);
    ++changes;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

/// Replaces every output of `node` by that of `first`, its twin.
bool merge(Node& node, Node& first) {
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    if (is_any_output(*node.outputs()[i])) return false;
  }
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    node.graph().replace_uses(*node.outputs()[i], *first.outputs()[i]);
  }
  merge_origins(first, {&first, &node});
  node.graph().erase(node);
  return true;
}

}  // namespace

Result<int64_t> eliminate_common_subexpressions(Graph& graph, const PassContext&) {
  int64_t changes = merge_constants(graph);
  std::map<std::string, Node*> seen;
  for (Node* node : graph.nodes()) {
    if (!node->schema().is_deterministic || !node->subgraphs().empty()) continue;
    const auto [entry, is_new] = seen.emplace(node_key(*node), node);
    if (!is_new && merge(*node, *entry->second)) ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
