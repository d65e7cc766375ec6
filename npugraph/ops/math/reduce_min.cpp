// SPDX-License-Identifier: Apache-2.0
// Smallest element over axes, NaN if any is; of nothing: infinity, or the highest integer.
#include <algorithm>
#include <cmath>
#include <limits>

#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

/// The highest integer of `dtype`, as the bits of an int64.
int64_t highest_of(DType dtype) {
  if (dtype == DType::kBool) return 1;
  if (!is_signed(dtype)) return -1;
  return std::numeric_limits<int64_t>::max() >> (64 - dtype_bits(dtype));
}

struct ReduceMin {
  static double real(std::span<const double> x) {
    double best = std::numeric_limits<double>::infinity();
    for (const double value : x)
      if (std::isnan(value) || value < best) best = value;
    return best;
  }
  static int64_t whole(std::span<const int64_t> x, [[maybe_unused]] DType dtype) {
    if (x.empty()) return highest_of(dtype);
    const auto before = [=](int64_t a, int64_t b) {
      return dtype == DType::kU64 ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
    };
    return *std::min_element(x.begin(), x.end(), before);
  }
  static std::optional<Dim> content(std::span<const Dim> x) {
    if (x.empty()) return std::nullopt;
    Dim best = x[0];
    for (const Dim& dim : x) best = Dim::min(best, dim);
    return best;
  }
};

}  // namespace

OpSchema reduce_min() {
  return reduce_schema<ReduceMin>("ReduceMin", "y = the smallest of x over axes", {"aten::amin"},
                                  kDataTypes);
}

}  // namespace npugraph::ops
