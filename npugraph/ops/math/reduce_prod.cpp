// SPDX-License-Identifier: Apache-2.0
// Product over axes; of nothing: 1.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/math/reduce.h"

namespace npugraph::ops {
namespace {

struct ReduceProd {
  static double real(std::span<const double> x) {
    double product = 1;
    for (const double value : x) product *= value;
    return product;
  }
  static int64_t whole(std::span<const int64_t> x, [[maybe_unused]] DType dtype) {
    int64_t product = 1;
    for (const int64_t value : x) product = wrap_mul(product, value);
    return product;
  }
  static std::optional<Dim> content(std::span<const Dim> x) {
    Dim total(1);
    for (const Dim& dim : x) total = total * dim;
    return total;
  }
};

}  // namespace

OpSchema reduce_prod() {
  return reduce_schema<ReduceProd>("ReduceProd", "y = product of x over axes",
                                   {"aten::prod.dim_int"});
}

}  // namespace npugraph::ops
