// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/base/result.h"
#include "npugraph/ops/op.h"

#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace npugraph {

class Graph;
class Node;
class Value;

/// One place where a value is read: input `index` of `node`.
struct Use {
  Node* node = nullptr;
  int64_t index = 0;
  bool operator==(const Use&) const = default;
};

/// A tensor in SSA form: a graph input, a constant, or one output of one node. Owned by its graph;
/// nested graphs may read the values of the graphs around them.
class Value {
 public:
  const std::string& name() const noexcept { return name_; }
  Graph& graph() const noexcept { return *graph_; }
  /// The node that makes it; null for a graph input or a constant.
  Node* producer() const noexcept { return producer_; }
  /// Which output of the producer.
  int64_t output_index() const noexcept { return output_index_; }
  /// Every read, nested graphs included, in the order in which they were added.
  std::span<const Use> uses() const noexcept { return uses_; }
  /// Graphs whose outputs list it, once for each place: its own, or nested ones that hand on a
  /// value from around them.
  std::span<Graph* const> output_of() const noexcept { return output_of_; }
  /// True when a node reads it or a graph (its own or a nested one) gives it as an output.
  bool is_used() const noexcept { return !uses_.empty() || !output_of_.empty(); }
  /// True when it is an output of its graph.
  bool is_graph_output() const;
  bool is_graph_input() const;

  /// The data of a constant; null otherwise.
  const Tensor* constant() const noexcept { return constant_ ? &*constant_ : nullptr; }

  TensorType type;                          // what is known of it; see ir/infer.h
  bool has_type = false;                    // false until inferred or declared
  std::optional<std::vector<Dim>> content;  // elements of a small integer tensor, if known

 private:
  friend class Graph;
  friend class Node;
  Value() = default;
  std::string name_;
  Graph* graph_ = nullptr;
  Node* producer_ = nullptr;
  int64_t output_index_ = 0;
  std::optional<Tensor> constant_;
  std::vector<Use> uses_;
  std::vector<Graph*> output_of_;
  std::list<std::unique_ptr<Value>>::iterator place_;  // in its graph's list
};

/// One application of an operator. Owned by its graph.
class Node {
 public:
  const OpSchema& schema() const noexcept { return *schema_; }
  std::string_view op() const noexcept { return schema_->name; }
  bool is(std::string_view op, std::string_view domain = {}) const noexcept {
    return schema_->name == op && schema_->domain == domain;
  }
  const std::string& name() const noexcept { return name_; }
  Graph& graph() const noexcept { return *graph_; }

  /// Complete and checked against the schema; change them by set_attr().
  const Attrs& attrs() const noexcept { return attrs_; }
  /// Errors: kBadAttribute, as complete_attrs().
  Status set_attr(std::string name, AttrValue value);

  /// A null entry is an optional input that is absent.
  std::span<Value* const> inputs() const noexcept { return inputs_; }
  Value* input(int64_t index) const noexcept {
    return index < static_cast<int64_t>(inputs_.size()) ? inputs_[static_cast<size_t>(index)]
                                                        : nullptr;
  }
  void set_input(int64_t index, Value* value);
  void add_input(Value* value);
  std::span<Value* const> outputs() const noexcept { return outputs_; }
  Value* output(int64_t index = 0) const noexcept { return outputs_[static_cast<size_t>(index)]; }

  /// Nested graph by its name ("then_branch", "body"); null when there is none.
  Graph* subgraph(std::string_view name) const;
  const std::map<std::string, std::unique_ptr<Graph>, std::less<>>& subgraphs() const noexcept {
    return subgraphs_;
  }
  /// A new, empty nested graph of this node.
  Graph& add_subgraph(std::string name);

  std::string device;                // target that runs it; empty until placed
  std::vector<std::string> origins;  // names of the model's own nodes that it stands for
  bool allow_fast = false;           // may run as an implementation marked fast; set while lowering

 private:
  friend class Graph;
  Node() = default;
  const OpSchema* schema_ = nullptr;
  std::string name_;
  Graph* graph_ = nullptr;
  Attrs attrs_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::map<std::string, std::unique_ptr<Graph>, std::less<>> subgraphs_;
  std::list<std::unique_ptr<Node>>::iterator place_;  // in its graph's list
};

/// What is known of a symbol: its range, and a number that divides it.
struct SymbolFact {
  int64_t min = 0;
  int64_t max = std::numeric_limits<int64_t>::max();
  int64_t multiple_of = 1;
  bool operator==(const SymbolFact&) const = default;
};

/// A graph of nodes in an order in which every value is made before it is read. Owns its nodes and
/// values; pointers to them stay valid until they are erased. Names of values, and of nodes, are
/// unique in the whole tree of an outermost graph and its nested ones, so that a name in a message
/// means one thing and inlining never clashes. Adding, moving and erasing a node takes constant
/// time. One thread at a time.
class Graph {
 public:
  explicit Graph(std::string name = "graph") : name_(std::move(name)) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  /// The node that holds this nested graph, or null for the outermost.
  Node* owner() const noexcept { return owner_; }
  /// The graph around this one; null for the outermost.
  Graph* parent() const noexcept { return owner_ != nullptr ? &owner_->graph() : nullptr; }

  // ---- building. A name that is taken, or empty, gets a number appended: unique_name().
  Value& add_input(std::string name, TensorType type);
  Value& add_constant(std::string name, Tensor data);
  /// Appends `node` at the end, or before `before`. inputs: null for an absent optional one.
  /// attrs are completed. Types of the outputs are not inferred here (ir/infer.h).
  /// Errors: kUnknownOp, kBadAttribute, kBadArity.
  Result<Node*> add_node(std::string_view domain, std::string_view op, std::string name,
                         std::vector<Value*> inputs, Attrs attrs,
                         std::vector<std::string> output_names, Node* before = nullptr);
  /// Appends a copy of a node of any graph, nested graphs included, under its name (made unique).
  /// values: what stands here for each value that it reads from outside itself; gets what it makes.
  Node& clone_node(const Node& node, std::unordered_map<const Value*, Value*>& values);
  void add_output(Value& value);
  void set_output(int64_t index, Value& value);
  void clear_outputs();
  /// `wanted`, or with "_1", "_2", … appended the first that no value and no node has.
  std::string unique_name(std::string_view wanted) const;
  /// Gives a value another name (made unique).
  void rename(Value& value, std::string name);
  void rename(Node& node, std::string name);

  // ---- reading
  std::span<Value* const> inputs() const noexcept { return inputs_; }
  std::span<Value* const> outputs() const noexcept { return outputs_; }
  /// Nodes in execution order. The vector is a snapshot: safe to change the graph meanwhile.
  std::vector<Node*> nodes() const;
  int64_t node_count() const noexcept { return static_cast<int64_t>(nodes_.size()); }
  /// Nodes of this graph and all nested ones.
  int64_t total_node_count() const;
  /// Every value of this graph: inputs, constants, node outputs, in order of making.
  std::vector<Value*> values() const;
  /// A value of this graph, or of one around it, by name; null when there is none.
  Value* find_value(std::string_view name) const;
  /// A node of this graph, or of one around it, by name; null when there is none.
  Node* find_node(std::string_view name) const;

  // ---- changing
  /// Every use of `from`, nested ones and graph outputs included, reads `to` instead.
  void replace_uses(Value& from, Value& to);
  /// Removes a node whose outputs have no use and are no graph outputs.
  void erase(Node& node);
  /// Removes constants without use, nested graphs included; returns how many.
  int64_t erase_unused_constants();
  /// Moves a node so that it stands right before `before` (of the same graph).
  void move_before(Node& node, Node& before);
  /// Moves every node out of a nested graph (of `owner`, a node of this graph) to stand before
  /// `owner`; `bindings` gives the values that stand for the nested graph's inputs. Returns the
  /// values that stand for its outputs. The nested graph is empty afterwards.
  std::vector<Value*> inline_subgraph(Node& owner, Graph& nested, std::span<Value* const> bindings);
  /// Sorts nodes so that producers come first (stable), in nested graphs too. Errors: kGraphInvalid
  /// naming a cycle; the order is then as before.
  Status sort();
  /// A copy that shares the constants' bytes. Not for a nested graph that reads values around it.
  std::unique_ptr<Graph> clone() const;

  /// Facts about symbols; outermost graph only.
  std::map<std::string, SymbolFact, std::less<>> facts;
  /// Free text about the model: producer, opset, …
  std::map<std::string, std::string, std::less<>> metadata;

 private:
  friend class Node;
  template <class T>
  using NameTable = std::unordered_map<std::string, T*>;

  const Graph& root() const noexcept;
  Graph& root() noexcept { return const_cast<Graph&>(std::as_const(*this).root()); }
  template <class T>
  std::string unique_in(const NameTable<T>& table, std::string_view wanted) const;
  Value& new_value(std::string name);
  Node& new_node(const OpSchema& schema, std::string name, Node* before);
  Value& new_output(Node& node, std::string name);
  void clone_into(Graph& copy, std::unordered_map<const Value*, Value*>& values) const;
  void erase_value(Value& value);
  void release();

  std::string name_;
  Node* owner_ = nullptr;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::list<std::unique_ptr<Node>> nodes_;
  std::list<std::unique_ptr<Value>> values_;
  // Names of the whole tree; filled in the outermost graph only.
  NameTable<Value> value_names_;
  NameTable<Node> node_names_;
  mutable std::unordered_map<std::string, int64_t> next_suffix_;
};

/// Values from the graphs around `graph` that it or a graph nested in it reads or gives as an
/// output, in the order of the first read.
std::vector<Value*> captured_values(const Graph& graph);
/// What a node reads: its inputs, then what its nested graphs capture; absent inputs left out.
std::vector<Value*> values_read(const Node& node);

/// Checks what the rest of the compiler relies on: names, SSA order (a value is made before it is
/// read, in this graph or one around it), use lists, arity, attribute legality, and where types are
/// present that inference agrees with them. Errors: kGraphInvalid and the operators' own, each with
/// the node's name.
Status verify(const Graph& graph);

}  // namespace npugraph
