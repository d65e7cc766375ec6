// SPDX-License-Identifier: Apache-2.0
// What inference knows of sizes makes their computation needless: bounds of Slice and targets of
// Expand become constants; an operator that broadcasts reads what Expand or ConstantOfShape would
// have blown up; a Where whose condition is the same everywhere is one of its branches. Targets of
// Reshape: see cleanup_reshape.
#include <algorithm>
#include <array>
#include <limits>

#include "npugraph/base/text.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/piece.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

// Their inputs broadcast to each other, by ONNX's multidirectional rule, to give the output's
// shape.
constexpr std::array<std::string_view, 23> kBroadcasting = {
    "Add",   "Sub",      "Mul",        "Div",         "Pow",       "Mod",
    "Min",   "Max",      "Mean",       "Sum",         "And",       "Or",
    "Xor",   "Equal",    "Less",       "LessOrEqual", "Greater",   "GreaterOrEqual",
    "Where", "BitShift", "BitwiseAnd", "BitwiseOr",   "BitwiseXor"};

bool broadcasts(const Node& node) {
  return node.schema().domain.empty() &&
         std::find(kBroadcasting.begin(), kBroadcasting.end(), node.op()) != kBroadcasting.end();
}

/// The shape that the inputs broadcast to, with `by` as input `index`.
std::optional<Shape> shape_with(const Node& node, size_t index, const Shape& by) {
  Shape all;
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    const Value* input = node.inputs()[i];
    if (input == nullptr || !input->has_type) return std::nullopt;
    const Shape& shape = i == index ? by : input->type.shape;
    if (!shape.ranked()) return std::nullopt;
    Result<Shape> both = broadcast_shapes(all, shape);
    if (!both) return std::nullopt;
    all = *std::move(both);
  }
  return all;
}

/// What an input stands for before it is blown up: the input of Expand, the number of
/// ConstantOfShape. `number` is filled for the latter.
struct Small {
  Value* value = nullptr;
  std::optional<Tensor> number = std::nullopt;
};
std::optional<Small> small_form(const Value* input) {
  if (Node* expand = made_by(input, "Expand")) return Small{.value = expand->input(0)};
  const Node* fill = made_by(input, "ConstantOfShape");
  if (fill == nullptr) return std::nullopt;
  const Result<Tensor> number = fill->attrs().tensor("value").reshaped({});
  return number ? std::optional(Small{.number = *number}) : std::nullopt;
}

int64_t read_small_forms(Node& node) {
  int64_t changes = 0;
  if (!broadcasts(node) || !node.output()->has_type) return changes;
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    std::optional<Small> small = small_form(node.inputs()[i]);
    if (!small) continue;
    if (small->value != nullptr && !small->value->has_type) continue;
    const std::optional<Shape> shape =
        shape_with(node, i, small->value != nullptr ? small->value->type.shape : Shape());
    if (!shape || !(*shape == node.output()->type.shape)) continue;
    Value* by = small->value;
    if (by == nullptr) {
      by = &node.graph().add_constant(text(node.inputs()[i]->name(), ".value"),
                                      *std::move(small->number));
    }
    node.set_input(static_cast<int64_t>(i), by);
    ++changes;
  }
  return changes;
}

/// The branch that a Where with an equal condition everywhere takes.
Value* where_branch(const Node& node) {
  const Tensor* condition = node.input(0)->constant();
  if (!node.is("Where") || condition == nullptr || condition->elements() == 0) return nullptr;
  const bool first = condition->view().load(0) != 0;
  if (!all_equal(*condition, first ? 1 : 0)) return nullptr;
  Value* const branch = node.input(first ? 1 : 2);
  const bool fits = same_type(*branch, *node.output()) && can_redirect(*node.output(), *branch);
  return fits ? branch : nullptr;
}

/// Puts a constant in place of a computed list of integers.
Status set_list(Node& node, int64_t input, const std::vector<int64_t>& numbers) {
  const Value& old = *node.input(input);
  NPU_LET(Tensor list, int_list(numbers, old.type.dtype));
  node.set_input(input, &node.graph().add_constant(text(old.name(), ".known"), std::move(list)));
  return ok();
}

/// Starts and ends of a Slice that are numbers, or for every size the end of the axis.
Result<int64_t> fix_slice(Node& slice) {
  const std::optional<std::vector<AxisRange>> ranges = ranges_of(slice);
  if (!ranges) return 0;
  const Shape& shape = slice.input(0)->type.shape;
  int64_t changes = 0;
  for (const int64_t input : {int64_t{1}, int64_t{2}}) {
    if (slice.input(input)->constant() != nullptr) continue;
    const bool is_narrow = slice.input(input)->type.dtype == DType::kI32;
    std::vector<int64_t> numbers;
    for (const AxisRange& range : *ranges) {
      const Dim& bound = input == 1 ? range.start : range.end;
      if (const std::optional<int64_t> number = bound.known()) {
        numbers.push_back(*number);
      } else if (range.step > 0 && bound == shape[range.axis]) {
        numbers.push_back(is_narrow ? int64_t{std::numeric_limits<int32_t>::max()}
                                    : std::numeric_limits<int64_t>::max());
      }
    }
    if (numbers.size() != ranges->size()) continue;
    NPU_TRY(set_list(slice, input, numbers));
    ++changes;
  }
  return changes;
}

/// The target of an Expand: a number for each dim that grows, 1 for those that stay.
Result<int64_t> fix_expand(Node& expand) {
  const Value& x = *expand.input(0);
  const Value& y = *expand.output();
  if (expand.input(1)->constant() != nullptr || !x.has_type || !y.has_type ||
      !x.type.shape.ranked() || !y.type.shape.ranked()) {
    return 0;
  }
  const int64_t added = y.type.shape.rank() - x.type.shape.rank();
  std::vector<int64_t> numbers;
  for (int64_t axis = 0; axis < y.type.shape.rank(); ++axis) {
    const Dim& dim = y.type.shape[axis];
    if (axis >= added && x.type.shape[axis - added] == dim) {
      numbers.push_back(1);
    } else if (const std::optional<int64_t> number = dim.known()) {
      numbers.push_back(*number);
    } else {
      return 0;
    }
  }
  NPU_TRY(set_list(expand, 1, numbers));
  return 1;
}

}  // namespace

Result<int64_t> fold_shapes(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    if (!node->schema().domain.empty()) continue;
    changes += read_small_forms(*node);
    if (node->is("Slice")) {
      NPU_LET(const int64_t fixed, fix_slice(*node));
      changes += fixed;
    }
    if (node->is("Expand")) {
      NPU_LET(const int64_t fixed, fix_expand(*node));
      changes += fixed;
    }
    Value* const branch = node->is("Where") ? where_branch(*node) : nullptr;
    if (branch == nullptr) continue;
    redirect(*node, *branch);
    ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
