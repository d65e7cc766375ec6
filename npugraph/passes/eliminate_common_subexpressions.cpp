// SPDX-License-Identifier: Apache-2.0
// Of several nodes with the same operator, attributes, inputs and nested graphs the first stays; so
// of equal small constants, without which equal shape computations would not meet. Equal parts of a
// graph fall together node by node, from their inputs on.
#include <map>
#include <unordered_map>

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

std::string attr_key(const AttrValue& value) {
  if (const Tensor* tensor = std::get_if<Tensor>(&value)) return tensor_key(*tensor);
  // The bits tell any two doubles apart.
  if (const double* number = std::get_if<double>(&value)) {
    return hash_bytes(std::as_bytes(std::span(number, 1))).hex();
  }
  if (const Floats* numbers = std::get_if<Floats>(&value)) {
    return hash_bytes(std::as_bytes(std::span(*numbers))).hex();
  }
  return attr_str(value);
}

/// Writes keys that are equal for nodes which compute the same. Values inside a nested graph are
/// numbered as they come, those around it go by their names, which are unique.
class KeyWriter {
 public:
  /// Nothing when the node, or one nested in it, may give another result each time.
  std::optional<std::string> key(const Node& node) {
    key_.clear();
    numbers_.clear();
    if (!add_node(node)) return std::nullopt;
    return std::move(key_);
  }

 private:
  /// Quoted by its length, so that no two lists of words read alike.
  void add_word(std::string_view word) { key_ += text('|', word.size(), ':', word); }

  void add_value(const Value* value) {
    if (value == nullptr) {
      key_ += "|-";
    } else if (const auto number = numbers_.find(value); number != numbers_.end()) {
      key_ += text("|%", number->second);
    } else {
      add_word(value->name());
    }
  }

  void number(const Value* value) {
    numbers_.emplace(value, static_cast<int64_t>(numbers_.size()));
  }

  bool add_node(const Node& node) {
    if (!node.schema().is_deterministic) return false;
    add_word(node.schema().domain);
    add_word(node.op());
    key_ += text('/', node.outputs().size(), '/', node.inputs().size());
    for (const Value* input : node.inputs()) add_value(input);
    for (const auto& [name, value] : node.attrs()) {
      add_word(name);
      add_word(attr_key(value));
    }
    for (const auto& [name, nested] : node.subgraphs()) {
      add_word(name);
      if (!add_graph(*nested)) return false;
    }
    return true;
  }

  bool add_graph(const Graph& graph) {
    key_ += '{';
    for (const Value* input : graph.inputs()) {
      number(input);
      add_word(input->type.str());
    }
    for (const Value* value : graph.values()) {
      if (value->constant() == nullptr) continue;
      number(value);
      add_word(tensor_key(*value->constant()));
    }
    for (const Node* node : graph.nodes()) {
      if (!add_node(*node)) return false;
      for (const Value* output : node->outputs()) number(output);
    }
    key_ += '>';
    for (const Value* output : graph.outputs()) add_value(output);
    key_ += '}';
    return true;
  }

  std::string key_;
  std::unordered_map<const Value*, int64_t> numbers_;
};

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

/// The node that stays, and the origins of those that it stands for now.
struct Group {
  Node* first = nullptr;
  std::vector<std::string> origins = {};
};

/// Replaces every output of `node` by that of the group's first, its twin.
bool merge(Node& node, Group& group) {
  for (const Value* output : node.outputs()) {
    if (is_any_output(*output)) return false;
  }
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    node.graph().replace_uses(*node.outputs()[i], *group.first->outputs()[i]);
  }
  if (group.origins.empty()) group.origins = origins_of(*group.first);
  for (std::string& origin : origins_of(node)) group.origins.push_back(std::move(origin));
  node.graph().erase(node);
  return true;
}

}  // namespace

Result<int64_t> eliminate_common_subexpressions(Graph& graph, const PassContext&) {
  int64_t changes = merge_constants(graph);
  std::map<std::string, Group> groups;
  KeyWriter writer;
  for (Node* node : graph.nodes()) {
    std::optional<std::string> key = writer.key(*node);
    if (!key) continue;
    const auto [entry, is_new] = groups.emplace(*std::move(key), Group{.first = node});
    if (!is_new && merge(*node, entry->second)) ++changes;
  }
  for (auto& [key, group] : groups) {
    if (!group.origins.empty()) group.first->origins = each_once(std::move(group.origins));
  }
  return changes;
}

}  // namespace npugraph::passes
