// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

// Small questions and steps that several passes share. One thread at a time, as Graph.

/// The element of a constant with exactly one; nothing otherwise (an absent input included).
std::optional<double> scalar_of(const Value* value);
/// scalar_of(value) equals `number` up to `relative` error.
bool is_scalar(const Value* value, double number, double relative = 0);
/// True when every element of the constant equals `number` exactly, the sign of zero included.
bool all_equal(const Tensor& tensor, double number);
/// The elements of a constant, or of a value whose content is fully known.
std::optional<std::vector<int64_t>> known_ints(const Value* value);

/// Both have a type, and the types are equal as expressions.
bool same_type(const Value& a, const Value& b);
bool is_float_type(const Value& value);
/// Exactly one read, and no output of a graph: may be fused away.
bool is_private(const Value& value);
/// The only reader of a private value; null when it is not private.
Node* sole_user(const Value& value);
/// The other input of a node with two inputs, one of which is `value`; null when there is none, or
/// both are.
Value* other_input(const Node& node, const Value& value);
/// The producer of `value` when it is that operator of the default domain; null otherwise.
Node* made_by(const Value* value, std::string_view op);

/// The graph's nodes that are one of these operators of the default domain, in order. Unlike
/// Graph::nodes() it stays valid while nodes of other operators are erased.
std::vector<Node*> nodes_of(const Graph& graph, std::initializer_list<std::string_view> ops);

/// Names of the model's nodes that `node` stands for; its own when it was never rewritten.
std::vector<std::string> origins_of(const Node& node);
/// Gives `to` the origins of all of these, in this order, each once.
void merge_origins(Node& to, std::initializer_list<const Node*> from);
/// Gives `to` the origins of these nodes of its graph, in the order of the graph, each once.
void take_origins(Node& to, const std::vector<const Node*>& from);
/// The names in their order, without those that came before.
std::vector<std::string> each_once(std::vector<std::string> names);

/// A list of these integers, int64 or int32. Errors: kOutOfMemory.
Result<Tensor> int_list(std::span<const int64_t> numbers, DType dtype);
/// Gives the node a new constant, named after it with `word`, in place of `input`, which may be
/// absent; an old one of that name makes room for it.
void replace_constant(Node& node, int64_t input, Tensor data, std::string_view word);

/// Graph::add_node() with one output named like it, then infer_node(); an error leaves no node.
Result<Node*> insert_node(Node& before, std::string_view domain, std::string_view op,
                          std::string name, std::vector<Value*> inputs, Attrs attrs);

/// An output of a graph: its own, or a nested one that hands it on.
inline bool is_any_output(const Value& value) { return !value.output_of().empty(); }
/// Whether redirect() may replace `from`: always unless it is an output of a graph and `to` could
/// not take its name and place (made by no node of that graph, or an output itself).
bool can_redirect(const Value& from, const Value& to);
/// Every reader of `from`, the only output in use of `node`, reads `to` instead; `node` is erased
/// and `to` takes its name where `from` was an output of a graph or `keep_name` is set.
void redirect(Node& node, Value& to, bool keep_name = false);
/// redirect() to the output of `by`, which takes the names of the node and of its output.
void replace_node(Node& node, Node& by);

}  // namespace npugraph
