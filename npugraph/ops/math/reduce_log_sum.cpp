// SPDX-License-Identifier: Apache-2.0
// Logarithm of the sum over axes; of nothing: -infinity.
#include <cmath>

#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceLogSum {
  static double real(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) sum += value;
    return std::log(sum);
  }
};

}  // namespace

OpSchema reduce_log_sum() {
  return reduce_schema<ReduceLogSum>("ReduceLogSum", "y = ln(sum of x over axes)", {});
}

}  // namespace npugraph::ops
