// SPDX-License-Identifier: Apache-2.0
// Sum of magnitudes over axes; of nothing: 0.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceL1 {
  static double real(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) sum += std::abs(value);
    return sum;
  }
  static int64_t whole(std::span<const int64_t> x, [[maybe_unused]] DType dtype) {
    int64_t sum = 0;
    for (const int64_t value : x)
      sum = wrap_add(sum, is_signed(dtype) && value < 0 ? wrap_sub(int64_t{0}, value) : value);
    return sum;
  }
};

}  // namespace

OpSchema reduce_l1() { return reduce_schema<ReduceL1>("ReduceL1", "y = sum of |x| over axes", {}); }

}  // namespace npugraph::ops
