// SPDX-License-Identifier: Apache-2.0
// Index of the smallest element along an axis: the first such, or the last.
#include "npugraph/ops/math/arg_extreme.h"

namespace npugraph::ops {
namespace {

struct Order {
  template <class T>
  static bool before(T a, T b) {
    return a < b;
  }
};

}  // namespace

OpSchema arg_min() {
  return arg_extreme_schema("ArgMin", "y = the index along axis at which x is smallest",
                            "aten::argmin", arg_extreme<Order>);
}

}  // namespace npugraph::ops
