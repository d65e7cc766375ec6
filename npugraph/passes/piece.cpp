// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/piece.h"

#include <algorithm>

#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

/// `index` from the front of an axis of `length`, held to it where both are numbers; nothing when
/// its sign depends on symbols.
std::optional<Dim> from_front(const Dim& index, const Dim& length) {
  if (index.known().value_or(0) >= kFar) return length;
  if (index.known().value_or(0) <= -kFar) return Dim(0);
  Dim place = index;
  if (!index.is_nonnegative()) {
    if (!(Dim(-1) - index).is_nonnegative()) return std::nullopt;
    place = index + length;
  }
  if (!place.is_static() || !length.is_static()) return place;
  return Dim(std::clamp(place.value(), int64_t{0}, length.value()));
}

std::optional<Piece> piece_of_slice(const Node& slice) {
  const auto ranges = ranges_of(slice);
  Value* const source = slice.input(0);
  if (!ranges || !slice.output()->has_type) return std::nullopt;
  std::optional<Piece> piece;
  for (const AxisRange& range : *ranges) {
    const Dim& length = source->type.shape[range.axis];
    const auto first = from_front(range.start, length), last = from_front(range.end, length);
    if (range.step != 1 || !first || !last) return std::nullopt;
    if (*first == Dim(0) && *last == length) continue;
    // A length that is the difference says that neither bound was held to the axis.
    if (piece || slice.output()->type.shape[range.axis] != *last - *first) return std::nullopt;
    piece = Piece{source, range.axis, *first, *last};
  }
  return piece;
}

std::optional<Piece> piece_of_split(const Node& split, int64_t output) {
  const auto axis = axis_of(split);
  if (!axis) return std::nullopt;
  Dim first = 0;
  for (int64_t i = 0; i < output; ++i) {
    if (!split.output(i)->has_type) return std::nullopt;
    first = first + split.output(i)->type.shape[*axis];
  }
  const Value& value = *split.output(output);
  if (!value.has_type) return std::nullopt;
  return Piece{split.input(0), *axis, first, first + value.type.shape[*axis]};
}

}  // namespace

std::optional<int64_t> axis_of(const Node& node) {
  const Value* x = node.input(0);
  if (x == nullptr || !x->has_type || !x->type.shape.ranked()) return std::nullopt;
  const Result<int64_t> axis = wrap_axis(node.attrs().i64("axis"), x->type.shape.rank());
  return axis ? std::optional(*axis) : std::nullopt;
}

std::optional<std::vector<AxisRange>> ranges_of(const Node& slice) {
  const Value* x = slice.input(0);
  if (!x->has_type || !x->type.shape.ranked()) return std::nullopt;
  const auto& starts = slice.input(1)->content;
  const auto& ends = slice.input(2)->content;
  if (!starts || !ends || starts->size() != ends->size()) return std::nullopt;
  const size_t count = starts->size();
  std::vector<int64_t> axes(count), steps(count, 1);
  for (size_t i = 0; i < count; ++i) axes[i] = static_cast<int64_t>(i);
  for (const auto& [input, list] : {std::pair{3, &axes}, std::pair{4, &steps}}) {
    if (slice.input(input) == nullptr) continue;
    auto given = known_ints(slice.input(input));
    if (!given || given->size() != count) return std::nullopt;
    *list = *std::move(given);
  }
  std::vector<AxisRange> ranges;
  for (size_t i = 0; i < count; ++i) {
    const Result<int64_t> axis = wrap_axis(axes[i], x->type.shape.rank());
    if (!axis) return std::nullopt;
    ranges.push_back({*axis, (*starts)[i], (*ends)[i], steps[i]});
  }
  return ranges;
}

std::optional<Piece> piece_of(const Value& value) {
  const Node* node = value.producer();
  if (node == nullptr || !node->schema().domain.empty()) return std::nullopt;
  if (node->is("Slice")) return piece_of_slice(*node);
  if (node->is("Split")) return piece_of_split(*node, value.output_index());
  return std::nullopt;
}

std::vector<Dim> borders_of(const Node& concat) {
  const auto axis = axis_of(concat);
  if (!axis) return {};
  std::vector<Dim> borders = {Dim(0)};
  for (const Value* input : concat.inputs()) {
    if (!input->has_type || input->type.shape.rank() <= *axis) return {};
    borders.push_back(borders.back() + input->type.shape[*axis]);
  }
  return borders;
}

}  // namespace npugraph
