// SPDX-License-Identifier: Apache-2.0
// Euclidean norm over axes; of nothing: 0.
#include <cmath>

#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceL2 {
  static double real(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return std::sqrt(sum);
  }
};

}  // namespace

OpSchema reduce_l2() {
  return reduce_schema<ReduceL2>("ReduceL2", "y = sqrt(sum of x^2 over axes)",
                                 {"aten::norm.ScalarOpt_dim"});
}

}  // namespace npugraph::ops
