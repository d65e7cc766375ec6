// SPDX-License-Identifier: Apache-2.0
// Sum of squares over axes; of nothing: 0.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceSumSquare {
  static double real(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
  }
  static int64_t whole(std::span<const int64_t> x, [[maybe_unused]] DType dtype) {
    int64_t sum = 0;
    for (const int64_t value : x) sum = wrap_add(sum, wrap_mul(value, value));
    return sum;
  }
};

}  // namespace

OpSchema reduce_sum_square() {
  return reduce_schema<ReduceSumSquare>("ReduceSumSquare", "y = sum of x^2 over axes", {});
}

}  // namespace npugraph::ops
