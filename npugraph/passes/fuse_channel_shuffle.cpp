// SPDX-License-Identifier: Apache-2.0
// Reshape, Transpose, Reshape that split one axis, reorder its parts and join them again (a channel
// shuffle) become one Gather along this axis, which moves whole planes.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/permutation.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// Axis `axis` of the outer shape is axes [axis, axis + count) of the middle one, all numbers.
bool splits_axis(const Shape& outer, const Shape& middle, int64_t axis, int64_t count) {
  for (int64_t i = 0; i < outer.rank(); ++i) {
    if (i == axis) continue;
    if (!(outer[i] == middle[i < axis ? i : i + count - 1])) return false;
  }
  for (int64_t i = axis; i < axis + count; ++i) {
    if (!middle[i].is_static()) return false;
  }
  return outer[axis].is_static();
}

/// Nothing moves but axes [axis, axis + count), among themselves.
bool permutes_within(const Ints& perm, int64_t axis, int64_t count) {
  for (size_t i = 0; i < perm.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const bool is_part = place >= axis && place < axis + count;
    if (is_part ? perm[i] < axis || perm[i] >= axis + count : perm[i] != place) return false;
  }
  return true;
}

/// Which element of the axis comes to each place.
Ints order_of(const Shape& middle, const Ints& perm, int64_t axis, int64_t count) {
  Dims dims;
  for (int64_t i = axis; i < axis + count; ++i) dims.push_back(middle[i].value());
  const Dims strides = strides_of(dims);
  Dims turned_dims, turned_strides;
  for (int64_t i = axis; i < axis + count; ++i) {
    const auto from = static_cast<size_t>(perm[static_cast<size_t>(i)] - axis);
    turned_dims.push_back(dims[from]);
    turned_strides.push_back(strides[from]);
  }
  Ints order;
  for (Odometer at(turned_dims, {turned_strides}); !at.done(); at.next()) {
    order.push_back(at.offset(0));
  }
  return order;
}

struct Shuffle {
  Value* source = nullptr;
  int64_t axis = 0;
  Ints order = {};
};

std::optional<Shuffle> shuffle_of(const Node& last) {
  const Node* turn = made_by(last.input(0), "Transpose");
  if (turn == nullptr || !is_private(*last.input(0))) return std::nullopt;
  const Node* first = made_by(turn->input(0), "Reshape");
  if (first == nullptr || !is_private(*turn->input(0))) return std::nullopt;
  Value* const source = first->input(0);
  const std::optional<Ints> perm = permutation_of(*turn);
  if (!perm || !same_type(*source, *last.output()) || !first->output()->has_type) {
    return std::nullopt;
  }
  const Shape& outer = source->type.shape;
  const Shape& middle = first->output()->type.shape;
  const int64_t count = middle.rank() - outer.rank() + 1;
  if (count < 2 || static_cast<int64_t>(perm->size()) != middle.rank()) return std::nullopt;
  for (int64_t axis = 0; axis < outer.rank(); ++axis) {
    if (splits_axis(outer, middle, axis, count) && permutes_within(*perm, axis, count)) {
      return Shuffle{source, axis, order_of(middle, *perm, axis, count)};
    }
  }
  return std::nullopt;
}

Result<bool> fuse(Node& last) {
  const std::optional<Shuffle> shuffle = shuffle_of(last);
  if (!shuffle || shuffle->order.empty()) return false;
  Graph& graph = last.graph();
  Node* const turn = last.input(0)->producer();
  Value& order = graph.add_constant(text(last.name(), ".order"), Tensor::of_ints(shuffle->order));
  Attrs attrs;
  attrs.set("axis", shuffle->axis);
  const Result<Node*> made =
      insert_node(last, "", "Gather", last.name(), {shuffle->source, &order}, attrs);
  if (!made) return false;
  Node* const gather = *made;
  merge_origins(*gather, {turn->input(0)->producer(), turn, &last});
  replace_node(last, *gather);
  return true;
}

}  // namespace

Result<int64_t> fuse_channel_shuffle(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : nodes_of(graph, {"Reshape"})) {
    if (!node->output()->is_used()) continue;
    NPU_LET(const bool fused, fuse(*node));
    changes += fused ? 1 : 0;
  }
  return changes;
}

}  // namespace npugraph::passes
