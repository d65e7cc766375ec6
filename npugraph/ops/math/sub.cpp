// SPDX-License-Identifier: Apache-2.0
// Difference of two tensors with broadcasting; integers wrap.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Sub {
  static double real(double a, double b) { return a - b; }
  template <class T>
  static T whole(T a, T b) {
    return wrap_sub(a, b);
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return a - b; }
};

}  // namespace

OpSchema sub() {
  return {
      .name = "Sub",
      .op_class = OpClass::kMath,
      .doc = "C = A - B",
      .onnx = {"Sub"},
      .aten = {"aten::sub.Tensor"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Sub>,
      .reference = binary<Sub>,
  };
}

}  // namespace npugraph::ops
