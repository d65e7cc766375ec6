// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// A value that is source[first, last) along one axis, every element in its order.
struct Piece {
  Value* source = nullptr;
  int64_t axis = 0;
  Dim first = 0;
  Dim last = 0;
};

/// What a Slice of step 1 or a Split takes out of its input; nothing when the value is made
/// otherwise, or where it lies is not known for every size.
std::optional<Piece> piece_of(const Value& value);

/// Ends of the inputs of a Concat along its axis, a 0 before the first; empty when not known.
std::vector<Dim> borders_of(const Node& concat);

/// The attribute `axis`, counted from the front of input 0; nothing when its rank is not known.
std::optional<int64_t> axis_of(const Node& node);

/// One axis of a Slice, as its inputs say it.
struct AxisRange {
  int64_t axis = 0;  // counted from the front
  Dim start = 0;
  Dim end = 0;
  int64_t step = 1;
};
/// Every axis that the Slice names; nothing when not all of it is known.
std::optional<std::vector<AxisRange>> ranges_of(const Node& slice);

/// A bound of a Slice this far away means the end of the axis: no tensor is that long.
inline constexpr int64_t kFar = int64_t{1} << 50;

}  // namespace npugraph
