// SPDX-License-Identifier: Apache-2.0
// Product of two tensors with broadcasting; integers wrap.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Mul {
  static double real(double a, double b) { return a * b; }
  template <class T>
  static T whole(T a, T b) {
    return wrap_mul(a, b);
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return a * b; }
};

}  // namespace

OpSchema mul() {
  return {
      .name = "Mul",
      .op_class = OpClass::kMath,
      .doc = "C = A * B",
      .onnx = {"Mul"},
      .aten = {"aten::mul.Tensor"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Mul>,
      .reference = binary<Mul>,
  };
}

}  // namespace npugraph::ops
