// SPDX-License-Identifier: Apache-2.0
// Mean over axes; of nothing: NaN, and 0 for integers, which round toward zero.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceMean {
  static double real(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) sum += value;
    return sum / static_cast<double>(x.size());
  }
  static int64_t whole(std::span<const int64_t> x, [[maybe_unused]] DType dtype) {
    int64_t sum = 0;
    for (const int64_t value : x) sum = wrap_add(sum, value);
    return safe_div(sum, static_cast<int64_t>(x.size()));
  }
};

}  // namespace

OpSchema reduce_mean() {
  return reduce_schema<ReduceMean>("ReduceMean", "y = sum of x over axes / number of elements",
                                   {"aten::mean.dim"});
}

}  // namespace npugraph::ops
