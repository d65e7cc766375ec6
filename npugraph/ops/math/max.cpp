// SPDX-License-Identifier: Apache-2.0
// The largest of any number of tensors, element by element with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Max {
  static double real(double a, double b) { return std::isnan(a) || a > b ? a : b; }
  template <class T>
  static T whole(T a, T b) {
    return a > b ? a : b;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return Dim::max(a, b); }
};

}  // namespace

OpSchema max() {
  return {
      .name = "Max",
      .op_class = OpClass::kMath,
      .doc = "y = the largest of all inputs; NaN if any is",
      .onnx = {"Max"},
      .aten = {"aten::maximum"},
      .inputs = {{"data_0", kNumberTypes, Arity::kVariadic, "T"}},
      .outputs = {{"max"}},
      .is_elementwise = true,
      .infer = infer_fold<Max>,
      .reference = fold<Max>,
  };
}

}  // namespace npugraph::ops
