// SPDX-License-Identifier: Apache-2.0
// Index of the largest element along an axis: the first such, or the last.
#include "npugraph/ops/math/arg_extreme.h"

namespace npugraph::ops {
namespace {

struct Order {
  template <class T>
  static bool before(T a, T b) {
    return a > b;
  }
};

}  // namespace

OpSchema arg_max() {
  return arg_extreme_schema("ArgMax", "y = the index along axis at which x is largest",
                            "aten::argmax", arg_extreme<Order>);
}

}  // namespace npugraph::ops
