// SPDX-License-Identifier: Apache-2.0
// The smallest of any number of tensors, element by element with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Min {
  static double real(double a, double b) { return std::isnan(a) || a < b ? a : b; }
  template <class T>
  static T whole(T a, T b) {
    return a < b ? a : b;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return Dim::min(a, b); }
};

}  // namespace

OpSchema min() {
  return {
      .name = "Min",
      .op_class = OpClass::kMath,
      .doc = "y = the smallest of all inputs; NaN if any is",
      .onnx = {"Min"},
      .aten = {"aten::minimum"},
      .inputs = {{"data_0", kNumberTypes, Arity::kVariadic, "T"}},
      .outputs = {{"min"}},
      .is_elementwise = true,
      .infer = infer_fold<Min>,
      .reference = fold<Min>,
  };
}

}  // namespace npugraph::ops
