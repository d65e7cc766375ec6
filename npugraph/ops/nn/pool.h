// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "npugraph/ops/nn/window.h"
#include "npugraph/ops/op.h"

/// Pooling, shared by MaxPool and AveragePool. X [n, c, spatial…].
namespace npugraph::ops {

/// Shape of the output. Errors: kBadAttribute, kShapeMismatch.
Result<Shape> pool_shape(const InferContext& context);

/// The window of a pooling run in numbers.
Result<Window3> pool_window(const RunContext& context);

/// The attributes of a window, and ceil_mode.
std::vector<AttrSchema> pool_attrs();

/// One flop an element of each window; each tensor read or written once.
Work pool_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs& attrs);

/// Taps of one window along one axis: input indices first, first + step, … below last.
struct Taps {
  int64_t first = 0, last = 0, step = 1;
  int64_t padded = 0;  // how many taps fall into the input or its padding
};
Taps taps_of(const Window3& window, int axis, int64_t out);

/// Calls visit(i) for the place, in its channel's plane, of each input element of a window.
template <class Visit>
void each_tap(const Window3& window, const Taps (&taps)[3], Visit visit) {
  for (int64_t d = taps[0].first; d < taps[0].last; d += taps[0].step)
    for (int64_t h = taps[1].first; h < taps[1].last; h += taps[1].step)
      for (int64_t w = taps[2].first; w < taps[2].last; w += taps[2].step)
        visit((d * window.in[1] + h) * window.in[2] + w);
}

}  // namespace npugraph::ops
