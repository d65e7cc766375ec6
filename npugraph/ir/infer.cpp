// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/infer.h"

#include <set>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer_control.h"

namespace npugraph {

Result<std::vector<InferInput>> known_inputs(const Node& node) {
  std::vector<InferInput> in;
  in.reserve(node.inputs().size());
  for (const Value* value : node.inputs()) {
    if (value == nullptr) {
      in.emplace_back();
      continue;
    }
    if (!value->has_type)
      return fail(ErrorId::kUnknownDim, text("the type of input '", value->name(), "' is unknown"),
                  "no type", "a type, declared or inferred before");
    in.push_back({.type = &value->type,
                  .content = value->content ? &*value->content : nullptr,
                  .constant = value->constant()});
  }
  return in;
}

Result<std::vector<InferOutput>> infer_operator(const Node& node,
                                                const std::vector<InferInput>& in) {
  const auto count = static_cast<int64_t>(node.outputs().size());
  auto outputs = infer_outputs(node.schema(), {in, node.attrs(), count, node.name()});
  if (outputs) return outputs;
  const ErrorId id = outputs.error().id;
  const bool is_shape = id == ErrorId::kShapeMismatch || id == ErrorId::kAxisOutsideRank ||
                        id == ErrorId::kIndexOutOfRange || id == ErrorId::kSizeOverflow;
  bool in_branch = false;
  for (const Node* owner = node.graph().owner(); owner != nullptr; owner = owner->graph().owner())
    in_branch |= owner->is("If");
  if (!is_shape || !in_branch) return outputs;
  std::vector<TensorType> types;
  types.reserve(in.size());
  std::vector<InferInput> unranked(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    types.push_back({in[i].present() ? in[i].type->dtype : DType::kF32, Shape::unranked()});
    if (in[i].present()) unranked[i].type = &types.back();
  }
  return infer_outputs(node.schema(), {unranked, node.attrs(), count, node.name()});
}

namespace {

Result<std::vector<InferOutput>> infer_any(Node& node) {
  NPU_LET(const std::vector<InferInput> in, known_inputs(node));
  const auto count = static_cast<int64_t>(node.outputs().size());
  if (node.schema().infer != nullptr) return infer_operator(node, in);
  NPU_TRY(check_inputs(node.schema(), in, count));
  if (node.is("If")) return infer_if(node, in);
  if (node.is("Loop")) return infer_loop(node, in);
  return fail(ErrorId::kUnknownOp, text("types of ", node.op(), " cannot be inferred"),
              std::string(node.op()), "an operator with inference, If or Loop");
}

/// Errors: kShapeMismatch, kDTypeMismatch when what a model says of a value cannot be so.
Status check_declared(const Value& value, const TensorType& declared) {
  const TensorType& found = value.type;
  const auto place = [&] { return text("value '", value.name(), "'"); };
  if (found.dtype != declared.dtype)
    return at(place(),
              fail(ErrorId::kDTypeMismatch, "the declared dtype is not what is computed",
                   std::string(dtype_name(found.dtype)), std::string(dtype_name(declared.dtype))));
  if (!found.shape.ranked() || !declared.shape.ranked()) return ok();
  bool fits = found.shape.rank() == declared.shape.rank();
  for (int64_t axis = 0; fits && axis < found.shape.rank(); ++axis) {
    const auto a = found.shape[axis].known(), b = declared.shape[axis].known();
    fits = !a || !b || *a == *b;
  }
  if (fits) return ok();
  return at(place(), fail(ErrorId::kShapeMismatch, "the declared shape is not what is computed",
                          found.shape.str(), declared.shape.str()));
}

using Substitution = std::map<std::string, Dim, std::less<>>;

void substitute(Value& value, const Substitution& by) {
  if (!value.type.shape.ranked()) return;
  for (Dim& dim : value.type.shape.dims()) dim = dim.substitute(by);
  if (value.content)
    for (Dim& dim : *value.content) dim = dim.substitute(by);
}

/// Forgets what was inferred; keeps what is declared: inputs, constants and graph outputs.
void forget_types(Graph& graph, bool is_outermost) {
  for (Node* node : graph.nodes()) {
    for (Value* output : node->outputs()) {
      output->content.reset();
      if (!is_outermost || !output->is_graph_output()) output->has_type = false;
    }
    for (const auto& [name, nested] : node->subgraphs()) forget_types(*nested, false);
  }
}

Status check_fact(const Graph& graph, const std::string& symbol, const Dim& dim) {
  const auto fact = graph.facts.find(symbol);
  const auto number = dim.known();
  if (fact == graph.facts.end() || !number) return ok();
  const SymbolFact& known = fact->second;
  if (*number >= known.min && *number <= known.max && *number % known.multiple_of == 0) return ok();
  const std::string range = known.max == std::numeric_limits<int64_t>::max()
                                ? text(known.min, " or more")
                                : text(known.min, "..", known.max);
  return fail(ErrorId::kShapeMismatch, text("dimension '", symbol, "' is outside its range"),
              text(*number),
              known.multiple_of == 1 ? range : text(range, ", a multiple of ", known.multiple_of));
}

/// Adds what giving `value` the shape `wanted` says about symbols.
Status bind_input(const Graph& graph, const Value& value, const Shape& wanted, Substitution& by) {
  const Shape& shape = value.type.shape;
  if (!shape.ranked()) return ok();
  if (!wanted.ranked() || wanted.rank() != shape.rank())
    return fail(ErrorId::kShapeMismatch, "the shape has another rank", wanted.str(), shape.str());
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    const Dim& from = shape[axis];
    const Dim& to = wanted[axis];
    if (to.known() && *to.known() < 0)
      return fail(ErrorId::kShapeMismatch, text("dimension ", axis, " is negative"), wanted.str());
    if (from.is_static()) {
      if (from == to) continue;
      return fail(ErrorId::kShapeMismatch, text("dimension ", axis, " is fixed by the model"),
                  wanted.str(), shape.str());
    }
    const std::vector<std::string> symbols = from.symbols();
    if (symbols.size() != 1 || !(from == Dim::symbol(symbols[0]))) continue;
    NPU_TRY(check_fact(graph, symbols[0], to));
    const auto [hit, fresh] = by.emplace(symbols[0], to);
    if (!fresh && !(hit->second == to))
      return fail(ErrorId::kShapeMismatch, text("dimension '", symbols[0], "' is given two values"),
                  to.str(), text(hit->second.str(), ", as for another dimension of this name"));
  }
  return ok();
}

/// Facts go with a symbol that only changes its name, and end with one that becomes a number.
void substitute_facts(Graph& graph, const Substitution& by) {
  auto old = std::move(graph.facts);
  graph.facts.clear();
  for (const auto& [symbol, fact] : old) {
    const auto hit = by.find(symbol);
    std::string name = symbol;
    if (hit != by.end()) {
      const std::vector<std::string> symbols = hit->second.symbols();
      if (symbols.size() != 1 || !(hit->second == Dim::symbol(symbols[0]))) continue;
      name = symbols[0];
    }
    const auto [place, fresh] = graph.facts.emplace(name, fact);
    if (fresh) continue;
    place->second.min = std::max(place->second.min, fact.min);
    place->second.max = std::min(place->second.max, fact.max);
    if (fact.multiple_of % place->second.multiple_of == 0)
      place->second.multiple_of = fact.multiple_of;
  }
}

Result<Value*> find_input(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (Value* input : graph.inputs()) {
    if (input->name() == name) return input;
    names.push_back(input->name());
  }
  const std::string close = nearest(name, names);
  return fail(ErrorId::kBadOption, "the model has no such input", text("'", name, "'"),
              names.empty() ? "no input" : join(names, ", "),
              close.empty() ? "" : text("did you mean '", close, "'?"));
}

}  // namespace

Status infer_node(Node& node) {
  auto outputs = infer_any(node);
  if (!outputs) return at(text("node '", node.name(), "'"), std::move(outputs).error());
  NPU_CHECK(outputs->size() == node.outputs().size(),
            text(node.op(), ": inference gave another number of outputs"));
  for (size_t i = 0; i < outputs->size(); ++i) {
    Value& value = *node.outputs()[i];
    value.type = std::move((*outputs)[i].type);
    value.has_type = true;
    value.content = std::move((*outputs)[i].content);
  }
  return ok();
}

Status infer_nodes(Graph& graph) {
  for (Node* node : graph.nodes()) NPU_TRY(infer_node(*node));
  return ok();
}

Status infer_types(Graph& graph) {
  std::vector<std::pair<const Value*, TensorType>> declared;
  for (const Value* output : graph.outputs())
    if (output->has_type && output->producer() != nullptr)
      declared.emplace_back(output, output->type);
  NPU_TRY(infer_nodes(graph));
  for (const auto& [value, type] : declared) NPU_TRY(check_declared(*value, type));
  return ok();
}

Status bind_shapes(Graph& graph, const std::map<std::string, Shape, std::less<>>& shapes) {
  Substitution by;
  std::vector<std::pair<Value*, const Shape*>> bound;
  for (const auto& [name, shape] : shapes) {
    NPU_LET(Value * input, find_input(graph, name));
    NPU_TRY_AT(text("input '", name, "'"), bind_input(graph, *input, shape, by));
    bound.emplace_back(input, &shape);
  }
  for (Value* input : graph.inputs()) substitute(*input, by);
  for (const auto& [input, shape] : bound) {
    // A dim that is an expression of the bound symbols must come out as it was asked for.
    const TensorType asked{input->type.dtype, *shape};
    NPU_TRY(check_declared(*input, asked));
    input->type = asked;
  }
  for (Value* output : graph.outputs())
    if (output->producer() != nullptr && output->has_type) substitute(*output, by);
  substitute_facts(graph, by);
  forget_types(graph, true);
  return infer_types(graph);
}

}  // namespace npugraph
