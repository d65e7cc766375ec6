// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/rewrite.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"

namespace npugraph {

std::optional<double> scalar_of(const Value* value) {
  const Tensor* tensor = value != nullptr ? value->constant() : nullptr;
  if (tensor == nullptr || tensor->elements() != 1) return std::nullopt;
  return tensor->view().load(0);
}

bool is_scalar(const Value* value, double number, double relative) {
  const std::optional<double> found = scalar_of(value);
  return found && std::abs(*found - number) <= relative * std::abs(number);
}

bool all_equal(const Tensor& tensor, double number) {
  const TensorView view = tensor.view();
  const int64_t count = tensor.elements();
  for (int64_t i = 0; i < count; ++i) {
    const double element = view.load(i);
    if (element != number || std::signbit(element) != std::signbit(number)) return false;
  }
  return true;
}

std::optional<std::vector<int64_t>> known_ints(const Value* value) {
  if (value == nullptr) return std::nullopt;
  std::vector<int64_t> out;
  if (const Tensor* tensor = value->constant()) {
    if (!is_integer(tensor->dtype()) || tensor->elements() > kMaxContent) return std::nullopt;
    const TensorView view = tensor->view();
    for (int64_t i = 0; i < tensor->elements(); ++i) out.push_back(view.load_int(i));
    return out;
  }
  if (!value->content) return std::nullopt;
  for (const Dim& dim : *value->content) {
    const std::optional<int64_t> number = dim.known();
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

bool same_type(const Value& a, const Value& b) {
  return a.has_type && b.has_type && a.type.shape.ranked() && a.type == b.type;
}

bool is_float_type(const Value& value) {
  return value.has_type && kFloatTypes.has(value.type.dtype);
}

bool is_private(const Value& value) { return value.uses().size() == 1 && !is_any_output(value); }

Node* sole_user(const Value& value) { return is_private(value) ? value.uses()[0].node : nullptr; }

Value* other_input(const Node& node, const Value& value) {
  if (node.inputs().size() != 2) return nullptr;
  Value* a = node.input(0);
  Value* b = node.input(1);
  if (a == b) return nullptr;
  if (a == &value) return b;
  return b == &value ? a : nullptr;
}

Node* made_by(const Value* value, std::string_view op) {
  Node* producer = value != nullptr ? value->producer() : nullptr;
  return producer != nullptr && producer->is(op) ? producer : nullptr;
}

std::vector<Node*> nodes_of(const Graph& graph, std::initializer_list<std::string_view> ops) {
  std::vector<Node*> out;
  for (Node* node : graph.nodes()) {
    const bool hit =
        node->schema().domain.empty() && std::find(ops.begin(), ops.end(), node->op()) != ops.end();
    if (hit) out.push_back(node);
  }
  return out;
}

std::vector<std::string> origins_of(const Node& node) {
  return node.origins.empty() ? std::vector<std::string>{node.name()} : node.origins;
}

void merge_origins(Node& to, std::initializer_list<const Node*> from) {
  std::vector<std::string> all;
  for (const Node* node : from) {
    for (std::string& origin : origins_of(*node)) all.push_back(std::move(origin));
  }
  to.origins = each_once(std::move(all));
}

void take_origins(Node& to, const std::vector<const Node*>& from) {
  std::vector<std::string> all;
  for (const Node* part : to.graph().nodes()) {
    if (std::find(from.begin(), from.end(), part) == from.end()) continue;
    for (std::string& origin : origins_of(*part)) all.push_back(std::move(origin));
  }
  to.origins = each_once(std::move(all));
}

std::vector<std::string> each_once(std::vector<std::string> names) {
  std::unordered_set<std::string> seen;
  std::erase_if(names, [&](const std::string& name) { return !seen.insert(name).second; });
  return names;
}

Result<Tensor> int_list(std::span<const int64_t> numbers, DType dtype) {
  const auto count = static_cast<int64_t>(numbers.size());
  NPU_LET(Tensor list, Tensor::zeros(dtype, {count}));
  const TensorView view = list.mutable_view();
  for (int64_t i = 0; i < count; ++i) view.store_int(i, numbers[static_cast<size_t>(i)]);
  return list;
}

void replace_constant(Node& node, int64_t input, Tensor data, std::string_view word) {
  Graph& graph = node.graph();
  Value* const old = node.input(input);
  Value& made = graph.add_constant("", std::move(data));
  node.set_input(input, &made);
  if (old != nullptr && !old->is_used() && &old->graph() == &graph) {
    graph.rename(*old, text(old->name(), ".old"));
  }
  graph.rename(made, text(node.name(), word));
}

Result<Node*> insert_node(Node& before, std::string_view domain, std::string_view op,
                          std::string name, std::vector<Value*> inputs, Attrs attrs) {
  const std::string output = name;
  NPU_LET(Node* const node, before.graph().add_node(domain, op, std::move(name), std::move(inputs),
                                                    std::move(attrs), {output}, &before));
  const Status fits = infer_node(*node);
  if (!fits) {
    node->graph().erase(*node);
    before.graph().erase_unused_constants();
    return fits.error();
  }
  return node;
}

bool can_redirect(const Value& from, const Value& to) {
  if (!is_any_output(from)) return true;
  return to.producer() != nullptr && &to.graph() == &from.graph() && !is_any_output(to);
}

void redirect(Node& node, Value& to, bool keep_name) {
  Value& from = *node.output();
  const std::string name = from.name();
  const bool rename = keep_name || is_any_output(from);
  Graph& graph = node.graph();
  graph.replace_uses(from, to);
  graph.erase(node);
  if (rename) graph.rename(to, name);
}

void replace_node(Node& node, Node& by) {
  Graph& graph = node.graph();
  const std::string name = node.name();
  redirect(node, *by.output(), true);
  graph.rename(by, name);
}

}  // namespace npugraph
