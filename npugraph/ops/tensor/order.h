// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "npugraph/ops/infer_tools.h"

/// What TopK and Unique share: a total order of elements.
namespace npugraph::ops {

/// -1, 0 or 1 as x[i] is below, equal to or above x[j]. 64-bit integers compare exactly; NaNs are
/// equal to each other and above everything, -0 equals 0.
inline int compare_elements(const TensorView& x, int64_t i, int64_t j) {
  const auto order = [](const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; };
  if (!is_float(x.dtype)) {
    const int64_t a = x.load_int(i), b = x.load_int(j);
    return x.dtype == DType::kU64 ? order(static_cast<uint64_t>(a), static_cast<uint64_t>(b))
                                  : order(a, b);
  }
  const double a = x.load(i), b = x.load(j);
  if (std::isnan(a) || std::isnan(b)) return order(std::isnan(a), std::isnan(b));
  return order(a, b);
}

}  // namespace npugraph::ops
