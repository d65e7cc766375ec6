// SPDX-License-Identifier: Apache-2.0
// Largest element over axes, NaN if any is; of nothing: -infinity, or the lowest integer.
#include <algorithm>
#include <cmath>
#include <limits>

#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

/// The lowest integer of `dtype`, as the bits of an int64.
int64_t lowest_of(DType dtype) {
  if (!is_signed(dtype)) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - dtype_bits(dtype));
}

struct ReduceMax {
  static double real(std::span<const double> x) {
    double best = -std::numeric_limits<double>::infinity();
    for (const double value : x)
      if (std::isnan(value) || value > best) best = value;
    return best;
  }
  static int64_t whole(std::span<const int64_t> x, [[maybe_unused]] DType dtype) {
    if (x.empty()) return lowest_of(dtype);
    const auto before = [=](int64_t a, int64_t b) {
      return dtype == DType::kU64 ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
    };
    return *std::max_element(x.begin(), x.end(), before);
  }
  static std::optional<Dim> content(std::span<const Dim> x) {
    if (x.empty()) return std::nullopt;
    Dim best = x[0];
    for (const Dim& dim : x) best = Dim::max(best, dim);
    return best;
  }
};

}  // namespace

OpSchema reduce_max() {
  return reduce_schema<ReduceMax>("ReduceMax", "y = the largest of x over axes", {"aten::amax"},
                                  kDataTypes);
}

}  // namespace npugraph::ops
