// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/layout_rule.h"

#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

int64_t rank_of(const Ints& perm) { return static_cast<int64_t>(perm.size()); }

bool has_rank(const Value* value, int64_t rank) {
  return value != nullptr && value->has_type && value->type.shape.rank() == rank;
}

bool has_one_element(const Value& value) {
  return value.has_type && value.type.shape.ranked() && value.type.shape.elements() == Dim(1);
}

bool is_reduction(const Node& node) { return node.op().starts_with("Reduce"); }

bool is_along_axis(const Node& node) {
  return node.is("Concat") || node.is("Split") || node.is("Softmax") || node.is("LogSoftmax");
}

Ints first_axes(int64_t count) {
  Ints axes;
  for (int64_t axis = 0; axis < count; ++axis) axes.push_back(axis);
  return axes;
}

/// The axes named by a constant input, from the front; when it is absent the first `count`.
std::optional<Ints> axes_at(const Node& node, int64_t input, int64_t count, int64_t rank) {
  if (node.input(input) == nullptr) return first_axes(count);
  const auto given = known_ints(node.input(input));
  if (!given || node.input(input)->constant() == nullptr) return std::nullopt;
  Ints axes;
  for (const int64_t axis : *given) {
    const Result<int64_t> wrapped = wrap_axis(axis, rank);
    if (!wrapped) return std::nullopt;
    axes.push_back(*wrapped);
  }
  return axes;
}

/// How many axes a Slice without the input `axes` names.
std::optional<int64_t> count_of(const Value* list) {
  if (list == nullptr || !list->has_type || list->type.shape.rank() != 1) return std::nullopt;
  return list->type.shape[0].known();
}

Ints renamed(const Ints& axes, const Ints& perm) {
  Ints out;
  for (const int64_t axis : axes) out.push_back(perm[static_cast<size_t>(axis)]);
  return out;
}

std::optional<Ints> axes_of(const Node& node, int64_t rank) {
  if (is_reduction(node)) {
    const bool is_empty = node.input(1) == nullptr || known_ints(node.input(1)) == Ints{};
    if (!is_empty) return axes_at(node, 1, rank, rank);
    return node.attrs().flag("noop_with_empty_axes") ? std::nullopt
                                                     : std::optional(first_axes(rank));
  }
  if (node.is("Pad")) return axes_at(node, 3, rank, rank);
  const std::optional<int64_t> count = count_of(node.input(1));
  return count ? axes_at(node, 3, *count, rank) : std::nullopt;
}

/// Sums run over the elements in the same order, and what is left needs no Transpose.
bool reduces_alike(const Node& node, const Ints& perm) {
  std::optional<Ints> axes = axes_of(node, rank_of(perm));
  if (!axes) return false;
  std::sort(axes->begin(), axes->end());
  const Ints names = renamed(*axes, perm);
  if (!std::is_sorted(names.begin(), names.end())) return false;
  if (node.attrs().flag("keepdims")) return true;
  Ints rest;
  for (int64_t axis = 0; axis < rank_of(perm); ++axis) {
    if (!std::binary_search(axes->begin(), axes->end(), axis)) {
      rest.push_back(perm[static_cast<size_t>(axis)]);
    }
  }
  return std::is_sorted(rest.begin(), rest.end());
}

bool is_elementwise(const Node& node) {
  return node.schema().is_elementwise && node.outputs().size() == 1 && node.subgraphs().empty();
}

bool takes_elementwise(const Node& node, const Ints& perm) {
  if (!has_rank(node.output(), rank_of(perm))) return false;
  for (const Value* input : node.inputs()) {
    if (input == nullptr || has_one_element(*input) || has_rank(input, rank_of(perm))) continue;
    const Tensor* constant = input->constant();
    if (constant == nullptr || static_cast<int64_t>(constant->dims().size()) > rank_of(perm)) {
      return false;
    }
  }
  return true;
}

Status set_list(Node& node, int64_t input, std::string_view word, const Ints& numbers,
                DType dtype) {
  NPU_LET(Tensor list, int_list(numbers, dtype));
  node.set_input(input, &node.graph().add_constant(text(node.name(), word), std::move(list)));
  return ok();
}

/// Pads of every axis, begins then ends, in the raw order.
Ints renamed_pads(const Ints& pads, const Ints& perm) {
  const size_t rank = perm.size();
  Ints out(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<size_t>(perm[i]);
    out[axis] = pads[i];
    out[axis + rank] = pads[i + rank];
  }
  return out;
}

}  // namespace

bool follows_layout(const Node& node, const Ints& perm) {
  const int64_t rank = rank_of(perm);
  if (!node.schema().domain.empty()) return false;
  if (is_elementwise(node)) return takes_elementwise(node, perm);
  if (!has_rank(node.input(0), rank)) return false;
  if (node.is("Concat")) {
    return std::all_of(node.inputs().begin(), node.inputs().end(),
                       [&](const Value* input) { return has_rank(input, rank); });
  }
  if (is_along_axis(node)) return true;
  if (is_reduction(node)) return reduces_alike(node, perm);
  if (node.is("Slice")) return axes_of(node, rank).has_value();
  if (!node.is("Pad")) return false;
  const bool is_known = node.input(1)->constant() != nullptr && axes_of(node, rank).has_value();
  const auto pads = known_ints(node.input(1));
  return is_known && (node.input(3) != nullptr || (pads && pads->size() == 2 * perm.size()));
}

std::vector<int64_t> layout_inputs(const Node& node, const Ints& perm) {
  if (!is_elementwise(node) && !node.is("Concat")) return {0};
  std::vector<int64_t> out;
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    const Value* input = node.inputs()[i];
    if (input == nullptr || (has_one_element(*input) && !has_rank(input, rank_of(perm)))) continue;
    out.push_back(static_cast<int64_t>(i));
  }
  return out;
}

Status rename_axes(Node& node, const Ints& perm) {
  const int64_t rank = rank_of(perm);
  if (is_elementwise(node)) return ok();
  if (is_along_axis(node)) {
    NPU_LET(const int64_t axis, wrap_axis(node.attrs().i64("axis"), rank));
    return node.set_attr("axis", perm[static_cast<size_t>(axis)]);
  }
  const std::optional<Ints> axes = axes_of(node, rank);
  NPU_CHECK(axes.has_value(), "axes that were known are not");
  if (is_reduction(node)) {
    if (node.input(1) != nullptr && static_cast<int64_t>(axes->size()) < rank) {
      return set_list(node, 1, ".axes", renamed(*axes, perm), DType::kI64);
    }
    return ok();
  }
  if (node.is("Pad") && node.input(3) == nullptr) {
    const Ints pads = renamed_pads(*known_ints(node.input(1)), perm);
    return set_list(node, 1, ".pads", pads, DType::kI64);
  }
  const Value& like = node.is("Pad") ? *node.input(3) : *node.input(1);
  return set_list(node, 3, ".axes", renamed(*axes, perm), like.type.dtype);
}

}  // namespace npugraph
