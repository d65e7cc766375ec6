// SPDX-License-Identifier: Apache-2.0
// Quotient of two tensors with broadcasting. Integers are divided toward zero; where the divisor
// is 0 the quotient is 0, since a model must not be able to stop the program.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Div {
  static double real(double a, double b) { return a / b; }
  template <class T>
  static T whole(T a, T b) {
    return safe_div(a, b);
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) {
    const auto divisor = b.known();
    if (a.is_static() && divisor) {
      if (*divisor == 0) return std::nullopt;
      return Dim(safe_div(a.value(), *divisor));
    }
    const auto natural = [](const Dim& dim) { return dim_less(dim, Dim(0)) == false; };
    if (natural(a) && natural(b) && divisor != 0) return Dim::floor_div(a, b);
    if (!divisor || *divisor <= 0) return std::nullopt;
    // Toward zero on both sides of it.
    return Dim::floor_div(Dim::max(a, Dim(0)), b) + Dim::ceil_div(Dim::min(a, Dim(0)), b);
  }
};

}  // namespace

OpSchema div() {
  return {
      .name = "Div",
      .op_class = OpClass::kMath,
      .doc = "C = A / B; integers toward zero, x / 0 = 0",
      .onnx = {"Div"},
      .aten = {"aten::div.Tensor"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Div>,
      .reference = binary<Div>,
  };
}

}  // namespace npugraph::ops
