// SPDX-License-Identifier: Apache-2.0
// Sum of any number of tensors, element by element with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Sum {
  static double real(double a, double b) { return a + b; }
  template <class T>
  static T whole(T a, T b) {
    return wrap_add(a, b);
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return a + b; }
};

}  // namespace

OpSchema sum() {
  return {
      .name = "Sum",
      .op_class = OpClass::kMath,
      .doc = "y = data_0 + data_1 + ...",
      .onnx = {"Sum"},
      .inputs = {{"data_0", kFloatTypes, Arity::kVariadic, "T"}},
      .outputs = {{"sum"}},
      .is_elementwise = true,
      .infer = infer_fold<Sum>,
      .reference = fold<Sum>,
  };
}

}  // namespace npugraph::ops
