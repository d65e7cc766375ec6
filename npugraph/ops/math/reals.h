// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {

/// All elements of `view` in row-major order, as T: double, or uint64_t for integers modulo 2^64.
template <class T>
std::vector<T> elements_of(const TensorView& view) {
  const int64_t count = view.elements();
  std::vector<T> out(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>)
      out[at_index(i)] = view.load(i);
    else
      out[at_index(i)] = static_cast<T>(view.load_int(i));
  }
  return out;
}

}  // namespace npugraph::ops
