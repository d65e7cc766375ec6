// SPDX-License-Identifier: Apache-2.0
// Sum over axes; of nothing: 0.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceSum {
  static double real(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) sum += value;
    return sum;
  }
  static int64_t whole(std::span<const int64_t> x, [[maybe_unused]] DType dtype) {
    int64_t sum = 0;
    for (const int64_t value : x) sum = wrap_add(sum, value);
    return sum;
  }
  static std::optional<Dim> content(std::span<const Dim> x) {
    Dim total(0);
    for (const Dim& dim : x) total = total + dim;
    return total;
  }
};

}  // namespace

OpSchema reduce_sum() {
  return reduce_schema<ReduceSum>("ReduceSum", "y = sum of x over axes", {"aten::sum.dim_IntList"});
}

}  // namespace npugraph::ops
