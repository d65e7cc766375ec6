// SPDX-License-Identifier: Apache-2.0
// Types of If and Loop. A dim that a nested graph decides becomes a late dim of the node; symbols
// that only exist inside a nested graph never show outside.
#include "npugraph/ir/infer_control.h"

#include <set>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

// Late dims of one node are numbered output * kMaxRank + axis; those that live inside a Loop's body
// and the number of rounds have numbers of their own.
constexpr int64_t kMaxRank = 64;
constexpr int64_t kBodyBase = int64_t{1} << 20;
constexpr int64_t kTripCount = int64_t{1} << 21;
// Rounds after which a changing Loop-carried shape loses all dims, then its rank, so that the
// search for a fixed point ends soon.
constexpr int kDimRounds = 4;
constexpr int kRankRounds = 8;
// Exporters write a huge count for "until the condition says stop"; no list is that long.
constexpr int64_t kMaxTripCount = int64_t{1} << 31;

/// Which symbols the graph around a node can see.
class Outside {
 public:
  explicit Outside(const Node& node) : node_(node) {}

  Dim late_dim(int64_t index) const {
    return InferContext{
        .in = {}, .attrs = node_.attrs(), .output_count = 1, .node_name = node_.name()}
        .late_dim(index);
  }

  bool sees(const Dim& dim) {
    if (dim.is_static()) return true;
    for (const std::string& symbol : dim.symbols())
      if (is_late_symbol(symbol) && !late().contains(symbol)) return false;
    return true;
  }

  /// `type` with a late dim wherever it depends on something inside.
  TensorType seen(TensorType type, int64_t output) {
    if (!type.shape.ranked()) return type;
    for (int64_t axis = 0; axis < type.shape.rank(); ++axis)
      if (!sees(type.shape[axis])) type.shape[axis] = late_dim(output * kMaxRank + axis);
    return type;
  }

  std::optional<std::vector<Dim>> seen(std::optional<std::vector<Dim>> content) {
    if (!content) return std::nullopt;
    for (const Dim& dim : *content)
      if (!sees(dim)) return std::nullopt;
    return content;
  }

 private:
  const std::set<std::string, std::less<>>& late() {
    if (late_) return *late_;
    late_.emplace();
    const auto add = [&](const std::vector<Dim>& dims) {
      for (const Dim& dim : dims)
        for (std::string& symbol : dim.symbols())
          if (is_late_symbol(symbol)) late_->insert(std::move(symbol));
    };
    for (const Value* value : values_read(node_)) {
      if (value->type.shape.ranked()) add(value->type.shape.dims());
      if (value->content) add(*value->content);
    }
    return *late_;
  }

  const Node& node_;
  std::optional<std::set<std::string, std::less<>>> late_;
};

/// The one element of an integer or bool input, if known.
std::optional<Dim> known_scalar(const InferInput& in) {
  if (!in.present()) return std::nullopt;
  const auto ints = in.ints();
  if (!ints || ints->size() != 1) return std::nullopt;
  return ints->front();
}

std::optional<Dim> known_scalar(const Value& value) {
  return known_scalar({.type = &value.type,
                       .content = value.content ? &*value.content : nullptr,
                       .constant = value.constant()});
}

Status check_single(const InferInput& in, std::string_view name) {
  if (!in.present()) return ok();
  const auto dims = in.type->shape.known();
  if (!dims) return ok();
  NPU_LET(const int64_t count, element_count(*dims));
  if (count == 1) return ok();
  return fail(ErrorId::kShapeMismatch, text("'", name, "' is not a single value"),
              in.type->shape.str(), "one element");
}

Result<Graph*> nested_graph(Node& node, std::string_view name, size_t inputs, size_t outputs) {
  Graph* graph = node.subgraph(name);
  if (graph == nullptr)
    return fail(ErrorId::kGraphInvalid, text(node.op(), " lacks a nested graph"), "none",
                text("'", name, "'"));
  if (graph->inputs().size() != inputs)
    return fail(ErrorId::kBadArity, text("number of inputs of nested graph '", name, "'"),
                text(graph->inputs().size()), text(inputs));
  if (graph->outputs().size() != outputs)
    return fail(ErrorId::kBadArity, text("number of outputs of nested graph '", name, "'"),
                text(graph->outputs().size()), text(outputs));
  return graph;
}

Result<const Value*> typed_output(const Graph& graph, size_t index) {
  const Value* value = graph.outputs()[index];
  if (value->has_type) return value;
  return fail(ErrorId::kUnknownDim, text("the type of '", value->name(), "' is unknown"), "no type",
              "a type, declared or inferred before");
}

/// What holds for a value that is `a` or `b`.
Result<InferOutput> merge(const Value& a, const Value& b, int64_t output, Outside& outside) {
  if (a.type.dtype != b.type.dtype)
    return fail(ErrorId::kDTypeMismatch, text("output ", output, " of the branches differs"),
                std::string(dtype_name(b.type.dtype)), std::string(dtype_name(a.type.dtype)));
  const Shape& x = a.type.shape;
  const Shape& y = b.type.shape;
  if (!x.ranked() || !y.ranked() || x.rank() != y.rank())
    return InferOutput{{a.type.dtype, Shape::unranked()}};
  InferOutput merged{outside.seen(a.type, output)};
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (!(x[axis] == y[axis])) merged.type.shape[axis] = outside.late_dim(output * kMaxRank + axis);
  if (a.content && b.content && *a.content == *b.content) merged.content = outside.seen(a.content);
  return merged;
}

/// Whether every node of a branch accepts the shapes that it will get, as far as is known.
bool can_run(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    const auto in = known_inputs(*node);
    if (!in) return false;
    if (node->schema().infer != nullptr) {
      const auto count = static_cast<int64_t>(node->outputs().size());
      if (!infer_outputs(node->schema(), {*in, node->attrs(), count, node->name()})) return false;
    } else if (node->is("If")) {
      const auto known = known_scalar((*in)[0]);
      const Graph& then_branch = *node->subgraph("then_branch");
      const Graph& else_branch = *node->subgraph("else_branch");
      const bool fits = known && known->known()
                            ? can_run(*known->known() != 0 ? then_branch : else_branch)
                            : can_run(then_branch) || can_run(else_branch);
      if (!fits) return false;
    }
  }
  return true;
}

// ---- Loop

/// The parts of a Loop while its carried types are searched.
struct LoopTypes {
  Node& node;
  Graph& body;
  std::vector<TensorType> carried;  // what holds at the start of every round
  Outside outside;

  Dim body_dim(size_t index, int64_t axis) const {
    return outside.late_dim(kBodyBase + static_cast<int64_t>(index) * kMaxRank + axis);
  }

  void set_body_inputs() {
    const auto set = [](Value& value, TensorType type) {
      value.type = std::move(type);
      value.has_type = true;
      value.content.reset();
    };
    // The number of the round and the condition are scalars, or of one element where the body says.
    for (size_t i = 0; i < 2; ++i) {
      Value& value = *body.inputs()[i];
      const bool is_vector = value.has_type && value.type.shape.rank() == 1;
      set(value, {i == 0 ? DType::kI64 : DType::kBool, is_vector ? Shape{Dim(1)} : Shape()});
    }
    body.inputs()[1]->content = std::vector<Dim>{Dim(1)};  // a round only runs when it is true
    for (size_t i = 0; i < carried.size(); ++i) set(*body.inputs()[2 + i], carried[i]);
  }

  /// Gives up what one round does not preserve; true when that was anything.
  bool generalise(size_t index, const Shape& after, int round) {
    Shape& shape = carried[index].shape;
    if (!shape.ranked()) return false;
    bool changed = false;
    if (!after.ranked() || after.rank() != shape.rank()) {
      shape = Shape::unranked();
      return true;
    }
    for (int64_t axis = 0; axis < shape.rank(); ++axis) {
      const Dim any = body_dim(index, axis);
      if (shape[axis] == any || shape[axis] == after[axis]) continue;
      shape[axis] = any;
      changed = true;
    }
    if (changed && round >= kDimRounds)
      for (int64_t axis = 0; axis < shape.rank(); ++axis) shape[axis] = body_dim(index, axis);
    if (changed && round >= kRankRounds) shape = Shape::unranked();
    return changed;
  }

  Status find_fixed_point() {
    bool changed = true;
    for (int round = 0; changed; ++round) {
      set_body_inputs();
      NPU_TRY(infer_nodes(body));
      changed = false;
      for (size_t i = 0; i < carried.size(); ++i) {
        NPU_LET(const Value* after, typed_output(body, 1 + i));
        if (after->type.dtype != carried[i].dtype)
          return fail(ErrorId::kDTypeMismatch, text("carried value ", i, " changes its dtype"),
                      std::string(dtype_name(after->type.dtype)),
                      std::string(dtype_name(carried[i].dtype)));
        changed = generalise(i, after->type.shape, round) || changed;
      }
    }
    return ok();
  }

  /// How many rounds there are, as far as that is known.
  Dim trip_count(const InferInput& count, const InferInput& condition) const {
    const Dim unknown = outside.late_dim(kTripCount);
    const auto first = known_scalar(condition);
    if (first && *first == Dim(0)) return Dim(0);
    if (condition.present() && !(first && first->known())) return unknown;
    const auto stays = known_scalar(*body.outputs()[0]);
    if (!stays || !stays->known() || *stays == Dim(0)) return unknown;
    const auto rounds = known_scalar(count);
    if (!rounds || rounds->known().value_or(0) > kMaxTripCount) return unknown;
    return Dim::max(Dim(0), *rounds);
  }

  TensorType final_type(size_t index) const {
    TensorType type = carried[index];
    if (!type.shape.ranked()) return type;
    for (int64_t axis = 0; axis < type.shape.rank(); ++axis)
      if (type.shape[axis] == body_dim(index, axis))
        type.shape[axis] = outside.late_dim(static_cast<int64_t>(index) * kMaxRank + axis);
    return type;
  }
};

}  // namespace

Result<std::vector<InferOutput>> infer_if(Node& node, const std::vector<InferInput>& in) {
  NPU_TRY(check_single(in[0], "cond"));
  NPU_LET(Graph * then_branch, nested_graph(node, "then_branch", 0, node.outputs().size()));
  NPU_LET(Graph * else_branch, nested_graph(node, "else_branch", 0, node.outputs().size()));
  Outside outside(node);
  std::vector<InferOutput> outputs;
  const auto known = known_scalar(in[0]);
  if (known && known->known()) {
    // The branch that is never taken need not even make sense for these shapes.
    const bool is_then = *known->known() != 0;
    Graph& taken = is_then ? *then_branch : *else_branch;
    NPU_TRY_AT(is_then ? "then_branch" : "else_branch", infer_nodes(taken));
    (void)infer_nodes(is_then ? *else_branch : *then_branch);
    for (size_t i = 0; i < taken.outputs().size(); ++i) {
      NPU_LET(const Value* value, typed_output(taken, i));
      outputs.push_back(
          {outside.seen(value->type, static_cast<int64_t>(i)), outside.seen(value->content)});
    }
    return outputs;
  }
  NPU_TRY_AT("then_branch", infer_nodes(*then_branch));
  NPU_TRY_AT("else_branch", infer_nodes(*else_branch));
  // A branch that cannot run for these shapes gives no output whose type could matter.
  if (!can_run(*then_branch)) then_branch = else_branch;
  if (!can_run(*else_branch)) else_branch = then_branch;
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    NPU_LET(const Value* a, typed_output(*then_branch, i));
    NPU_LET(const Value* b, typed_output(*else_branch, i));
    NPU_LET(InferOutput merged, merge(*a, *b, static_cast<int64_t>(i), outside));
    outputs.push_back(std::move(merged));
  }
  return outputs;
}

Result<std::vector<InferOutput>> infer_loop(Node& node, const std::vector<InferInput>& in) {
  const InferInput count = in.empty() ? InferInput{} : in[0];
  const InferInput condition = in.size() < 2 ? InferInput{} : in[1];
  NPU_TRY(check_single(count, "M"));
  NPU_TRY(check_single(condition, "cond"));
  const size_t carried = in.size() < 2 ? 0 : in.size() - 2;
  if (node.outputs().size() < carried)
    return fail(ErrorId::kBadArity, "number of outputs of Loop", text(node.outputs().size()),
                text(carried, " or more, one for each carried value"));
  NPU_LET(Graph * body, nested_graph(node, "body", 2 + carried, 1 + node.outputs().size()));
  LoopTypes loop{node, *body, {}, Outside(node)};
  for (size_t i = 0; i < carried; ++i) {
    if (!in[2 + i].present())
      return fail(ErrorId::kBadArity, text("carried value ", i, " of Loop"), "absent", "a tensor");
    loop.carried.push_back(*in[2 + i].type);
  }
  NPU_TRY_AT("body", loop.find_fixed_point());
  NPU_LET(const Value* stays, typed_output(*body, 0));
  if (stays->type.dtype != DType::kBool)
    return fail(ErrorId::kDTypeMismatch, "the condition that the body gives",
                std::string(dtype_name(stays->type.dtype)), "bool");

  std::vector<InferOutput> outputs;
  for (size_t i = 0; i < carried; ++i) outputs.push_back({loop.final_type(i), std::nullopt});
  const Dim rounds = loop.trip_count(count, condition);
  for (size_t i = carried; i < node.outputs().size(); ++i) {
    NPU_LET(const Value* item, typed_output(*body, 1 + i));
    TensorType type = item->type;
    if (type.shape.ranked()) {
      // Axis 0 of the result counts rounds, so the item's axes are numbered from 1.
      type.shape.dims().insert(type.shape.dims().begin(), rounds);
      for (int64_t axis = 1; axis < type.shape.rank(); ++axis)
        if (!loop.outside.sees(type.shape[axis]))
          type.shape[axis] = loop.outside.late_dim(static_cast<int64_t>(i) * kMaxRank + axis);
    }
    outputs.push_back({std::move(type), std::nullopt});
  }
  return outputs;
}

}  // namespace npugraph
