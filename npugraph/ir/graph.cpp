// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/graph.h"

#include <algorithm>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

/// True when `graph` is `outer` or lies inside it.
bool is_inside(const Graph& graph, const Graph& outer) {
  for (const Graph* at_graph = &graph; at_graph != nullptr; at_graph = at_graph->parent())
    if (at_graph == &outer) return true;
  return false;
}

/// Removes one entry; keeps the order of the rest.
template <class T>
void remove_one(std::vector<T>& list, const T& item) {
  const auto hit = std::find(list.begin(), list.end(), item);
  NPU_CHECK(hit != list.end(), "a use list lacks an entry");
  list.erase(hit);
}

Status check_arity(const OpSchema& schema, const std::vector<Value*>& inputs, size_t outputs) {
  const auto count = static_cast<int64_t>(inputs.size());
  const auto made = static_cast<int64_t>(outputs);
  constexpr int64_t kMany = std::numeric_limits<int64_t>::max();
  const auto range = [](int64_t low, int64_t high) {
    return high == kMany ? text(low, " or more") : text(low, "..", high);
  };
  if (count < schema.min_inputs() || count > schema.max_inputs())
    return fail(ErrorId::kBadArity, text("number of inputs of ", schema.name), text(count),
                range(schema.min_inputs(), schema.max_inputs()));
  if (made < schema.min_outputs() || made > schema.max_outputs())
    return fail(ErrorId::kBadArity, text("number of outputs of ", schema.name), text(made),
                range(schema.min_outputs(), schema.max_outputs()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputSchema& row = schema.inputs[std::min(i, schema.inputs.size() - 1)];
    if (inputs[i] == nullptr && row.arity != Arity::kOptional)
      return fail(ErrorId::kBadArity, text("input '", row.name, "' of ", schema.name), "absent",
                  "a tensor");
  }
  return ok();
}

}  // namespace

// ---- Value

bool Value::is_graph_output() const {
  return std::find(output_of_.begin(), output_of_.end(), graph_) != output_of_.end();
}

bool Value::is_graph_input() const { return producer_ == nullptr && !constant_; }

// ---- Node

Status Node::set_attr(std::string name, AttrValue value) {
  Attrs changed = attrs_;
  changed.set(std::move(name), std::move(value));
  NPU_TRY_AT(text("node '", name_, "'"), complete_attrs(*schema_, changed));
  attrs_ = std::move(changed);
  return ok();
}

void Node::set_input(int64_t index, Value* value) {
  NPU_CHECK(index >= 0, "negative input index");
  while (static_cast<int64_t>(inputs_.size()) <= index) inputs_.push_back(nullptr);
  Value*& slot = inputs_[static_cast<size_t>(index)];
  if (slot == value) return;
  if (slot != nullptr) remove_one(slot->uses_, Use{this, index});
  slot = value;
  if (value != nullptr) value->uses_.push_back({this, index});
}

void Node::add_input(Value* value) {
  const auto index = static_cast<int64_t>(inputs_.size());
  inputs_.push_back(nullptr);
  set_input(index, value);
}

Graph* Node::subgraph(std::string_view name) const {
  const auto hit = subgraphs_.find(name);
  return hit == subgraphs_.end() ? nullptr : hit->second.get();
}

Graph& Node::add_subgraph(std::string name) {
  auto [hit, fresh] = subgraphs_.emplace(name, std::make_unique<Graph>(name));
  NPU_CHECK(fresh, text("node '", name_, "' already has a nested graph '", name, "'"));
  hit->second->owner_ = this;
  return *hit->second;
}

// ---- Graph: names

Graph::~Graph() = default;

const Graph& Graph::root() const noexcept {
  const Graph* top = this;
  while (top->owner_ != nullptr) top = top->owner_->graph_;
  return *top;
}

template <class T>
std::string Graph::unique_in(const NameTable<T>& table, std::string_view wanted) const {
  std::string name(wanted.empty() ? "v" : wanted);
  if (!table.contains(name)) return name;
  int64_t& suffix = root().next_suffix_[name];
  std::string numbered;
  do {
    numbered = text(name, '_', ++suffix);
  } while (table.contains(numbered));
  return numbered;
}

std::string Graph::unique_name(std::string_view wanted) const {
  const Graph& top = root();
  std::string name(wanted.empty() ? "v" : wanted);
  const auto taken = [&](const std::string& candidate) {
    return top.value_names_.contains(candidate) || top.node_names_.contains(candidate);
  };
  if (!taken(name)) return name;
  int64_t& suffix = top.next_suffix_[name];
  std::string numbered;
  do {
    numbered = text(name, '_', ++suffix);
  } while (taken(numbered));
  return numbered;
}

void Graph::rename(Value& value, std::string name) {
  if (value.name_ == name) return;
  Graph& top = root();
  top.value_names_.erase(value.name_);
  value.name_ = unique_in(top.value_names_, name);
  top.value_names_.emplace(value.name_, &value);
}

void Graph::rename(Node& node, std::string name) {
  if (node.name_ == name) return;
  Graph& top = root();
  top.node_names_.erase(node.name_);
  node.name_ = unique_in(top.node_names_, name);
  top.node_names_.emplace(node.name_, &node);
}

// ---- Graph: building

Value& Graph::new_value(std::string name) {
  Graph& top = root();
  values_.push_back(std::unique_ptr<Value>(new Value()));  // NOLINT: private constructor
  Value& value = *values_.back();
  value.place_ = std::prev(values_.end());
  value.graph_ = this;
  value.name_ = unique_in(top.value_names_, name);
  top.value_names_.emplace(value.name_, &value);
  return value;
}

Node& Graph::new_node(const OpSchema& schema, std::string name, Node* before) {
  NPU_CHECK(before == nullptr || before->graph_ == this, "`before` is a node of another graph");
  Graph& top = root();
  const auto place = nodes_.insert(before == nullptr ? nodes_.end() : before->place_,
                                   std::unique_ptr<Node>(new Node()));  // NOLINT: as above
  Node& node = **place;
  node.place_ = place;
  node.graph_ = this;
  node.schema_ = &schema;
  node.name_ = unique_in(top.node_names_, name.empty() ? std::string(schema.name) : name);
  top.node_names_.emplace(node.name_, &node);
  return node;
}

Value& Graph::new_output(Node& node, std::string name) {
  Value& value = new_value(name.empty() ? node.name_ : std::move(name));
  value.producer_ = &node;
  value.output_index_ = static_cast<int64_t>(node.outputs_.size());
  node.outputs_.push_back(&value);
  return value;
}

Value& Graph::add_input(std::string name, TensorType type) {
  Value& value = new_value(std::move(name));
  value.type = std::move(type);
  value.has_type = true;
  inputs_.push_back(&value);
  return value;
}

Value& Graph::add_constant(std::string name, Tensor data) {
  Value& value = new_value(std::move(name));
  value.type = data.type();
  value.has_type = true;
  const InferInput known{.type = &value.type, .content = nullptr, .constant = &data};
  value.content = known.ints();
  value.constant_ = std::move(data);
  return value;
}

Result<Node*> Graph::add_node(std::string_view domain, std::string_view op, std::string name,
                              std::vector<Value*> inputs, Attrs attrs,
                              std::vector<std::string> output_names, Node* before) {
  const std::string place = text("node '", name, "'");
  const OpSchema* schema = find_op(domain, op);
  if (schema == nullptr) {
    std::vector<std::string_view> names;
    for (const OpSchema& known : all_ops()) names.push_back(known.name);
    const std::string close = nearest(op, names);
    return at(place, fail(ErrorId::kUnknownOp, "there is no such operator",
                          domain.empty() ? std::string(op) : text(domain, "::", op),
                          close.empty() ? "" : text("for example ", close)));
  }
  NPU_TRY_AT(place, check_arity(*schema, inputs, output_names.size()));
  NPU_TRY_AT(place, complete_attrs(*schema, attrs));
  Node& node = new_node(*schema, std::move(name), before);
  node.attrs_ = std::move(attrs);
  for (Value* input : inputs) node.add_input(input);
  for (std::string& output : output_names) new_output(node, std::move(output));
  return &node;
}

Node& Graph::clone_node(const Node& node, std::unordered_map<const Value*, Value*>& values) {
  Node& copy = new_node(*node.schema_, node.name_, nullptr);
  copy.attrs_ = node.attrs_;
  copy.device = node.device;
  copy.origins = node.origins;
  copy.allow_fast = node.allow_fast;
  for (Value* input : node.inputs_) {
    const auto hit = input == nullptr ? values.end() : values.find(input);
    NPU_CHECK(input == nullptr || hit != values.end(),
              text("clone of a node that reads '", input->name_, "', which has no stand-in"));
    copy.add_input(input == nullptr ? nullptr : hit->second);
  }
  for (const Value* output : node.outputs_) {
    Value& made = new_output(copy, output->name_);
    made.type = output->type;
    made.has_type = output->has_type;
    made.content = output->content;
    values[output] = &made;
  }
  for (const auto& [name, nested] : node.subgraphs_)
    nested->clone_into(copy.add_subgraph(name), values);
  return copy;
}

void Graph::add_output(Value& value) {
  outputs_.push_back(&value);
  value.output_of_.push_back(this);
}

void Graph::set_output(int64_t index, Value& value) {
  Value*& slot = outputs_[static_cast<size_t>(index)];
  remove_one(slot->output_of_, this);
  slot = &value;
  value.output_of_.push_back(this);
}

void Graph::clear_outputs() {
  for (Value* value : outputs_) remove_one(value->output_of_, this);
  outputs_.clear();
}

// ---- Graph: reading

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> list;
  list.reserve(nodes_.size());
  for (const auto& node : nodes_) list.push_back(node.get());
  return list;
}

int64_t Graph::total_node_count() const {
  int64_t count = node_count();
  for (const auto& node : nodes_)
    for (const auto& [name, nested] : node->subgraphs_) count += nested->total_node_count();
  return count;
}

std::vector<Value*> Graph::values() const {
  std::vector<Value*> list;
  list.reserve(values_.size());
  for (const auto& value : values_) list.push_back(value.get());
  return list;
}

Value* Graph::find_value(std::string_view name) const {
  const auto& table = root().value_names_;
  const auto hit = table.find(std::string(name));
  return hit != table.end() && is_inside(*this, *hit->second->graph_) ? hit->second : nullptr;
}

Node* Graph::find_node(std::string_view name) const {
  const auto& table = root().node_names_;
  const auto hit = table.find(std::string(name));
  return hit != table.end() && is_inside(*this, *hit->second->graph_) ? hit->second : nullptr;
}

// ---- Graph: changing

void Graph::replace_uses(Value& from, Value& to) {
  if (&from == &to) return;
  for (const Use& use : from.uses_) {
    use.node->inputs_[static_cast<size_t>(use.index)] = &to;
    to.uses_.push_back(use);
  }
  from.uses_.clear();
  for (Graph* graph : from.output_of_) {
    // Each entry stands for one place, so that replacing all of them at the first is right.
    std::replace(graph->outputs_.begin(), graph->outputs_.end(), &from, &to);
    to.output_of_.push_back(graph);
  }
  from.output_of_.clear();
}

void Graph::erase_value(Value& value) {
  root().value_names_.erase(value.name_);
  values_.erase(value.place_);
}

/// Lets go of everything that this graph reads and of all its names, before it is destroyed.
void Graph::release() {
  clear_outputs();
  Graph& top = root();
  for (const auto& node : nodes_) {
    for (size_t i = 0; i < node->inputs_.size(); ++i)
      node->set_input(static_cast<int64_t>(i), nullptr);
    for (const auto& [name, nested] : node->subgraphs_) nested->release();
    top.node_names_.erase(node->name_);
  }
  for (const auto& value : values_) top.value_names_.erase(value->name_);
}

void Graph::erase(Node& node) {
  NPU_CHECK(node.graph_ == this, "erasing a node of another graph");
  for (const auto& [name, nested] : node.subgraphs_) nested->release();
  for (size_t i = 0; i < node.inputs_.size(); ++i) node.set_input(static_cast<int64_t>(i), nullptr);
  for (Value* output : node.outputs_) {
    NPU_CHECK(!output->is_used(),
              text("erasing node '", node.name_, "', whose output '", output->name_, "' is used"));
    erase_value(*output);
  }
  root().node_names_.erase(node.name_);
  nodes_.erase(node.place_);
}

int64_t Graph::erase_unused_constants() {
  int64_t erased = 0;
  for (const auto& node : nodes_)
    for (const auto& [name, nested] : node->subgraphs_) erased += nested->erase_unused_constants();
  for (Value* value : values()) {
    if (!value->constant_ || value->is_used()) continue;
    erase_value(*value);
    ++erased;
  }
  return erased;
}

void Graph::move_before(Node& node, Node& before) {
  NPU_CHECK(node.graph_ == this && before.graph_ == this, "moving between graphs");
  if (&node != &before) nodes_.splice(before.place_, nodes_, node.place_);
}

std::vector<Value*> Graph::inline_subgraph(Node& owner, Graph& nested,
                                           std::span<Value* const> bindings) {
  NPU_CHECK(owner.graph_ == this && nested.owner_ == &owner, "not a nested graph of this node");
  NPU_CHECK(bindings.size() == nested.inputs_.size(), "one binding for each nested input");
  for (size_t i = 0; i < bindings.size(); ++i) replace_uses(*nested.inputs_[i], *bindings[i]);
  std::vector<Value*> outputs = nested.outputs_;
  nested.clear_outputs();
  for (Value* input : nested.inputs_) nested.erase_value(*input);
  nested.inputs_.clear();
  // List nodes move as they are, so that every iterator and pointer stays valid.
  for (const auto& node : nested.nodes_) node->graph_ = this;
  for (const auto& value : nested.values_) value->graph_ = this;
  nodes_.splice(owner.place_, nested.nodes_);
  values_.splice(values_.end(), nested.values_);
  return outputs;
}

// ---- Graph: copying

void Graph::clone_into(Graph& copy, std::unordered_map<const Value*, Value*>& values) const {
  copy.name_ = name_;
  copy.facts = facts;
  copy.metadata = metadata;
  for (const Value* input : inputs_) {
    Value& made = copy.add_input(input->name_, input->type);
    made.has_type = input->has_type;
    made.content = input->content;
    values[input] = &made;
  }
  for (const auto& value : values_)
    if (value->constant_) values[value.get()] = &copy.add_constant(value->name_, *value->constant_);
  for (const auto& node : nodes_) copy.clone_node(*node, values);
  for (const Value* output : outputs_) {
    const auto hit = values.find(output);
    NPU_CHECK(hit != values.end(),
              text("clone of a graph that gives '", output->name_, "', which lies outside"));
    copy.add_output(*hit->second);
  }
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>(name_);
  std::unordered_map<const Value*, Value*> values;
  clone_into(*copy, values);
  return copy;
}

}  // namespace npugraph
