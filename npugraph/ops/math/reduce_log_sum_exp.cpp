// SPDX-License-Identifier: Apache-2.0
// Logarithm of the sum of exponentials over axes; of nothing: -infinity.
#include <cmath>
#include <limits>

#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceLogSumExp {
  static double real(std::span<const double> x) {
    // The largest is taken out, so that exp() cannot overflow.
    double peak = -std::numeric_limits<double>::infinity();
    for (const double value : x)
      if (std::isnan(value) || value > peak) peak = value;
    if (std::isinf(peak) || std::isnan(peak)) return peak;
    double sum = 0;
    for (const double value : x) sum += std::exp(value - peak);
    return peak + std::log(sum);
  }
};

}  // namespace

OpSchema reduce_log_sum_exp() {
  return reduce_schema<ReduceLogSumExp>("ReduceLogSumExp", "y = ln(sum of exp(x) over axes)",
                                        {"aten::logsumexp"});
}

}  // namespace npugraph::ops
