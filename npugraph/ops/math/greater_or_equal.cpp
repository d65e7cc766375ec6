// SPDX-License-Identifier: Apache-2.0
// Comparison with broadcasting; false where either is NaN.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct GreaterOrEqual {
  static constexpr bool kPredicate = true;
  static bool real(double a, double b) { return a >= b; }
  template <class T>
  static bool whole(T a, T b) {
    return a >= b;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) {
    const auto less = dim_less(a, b);
    if (!less) return std::nullopt;
    return Dim(*less ? 0 : 1);
  }
};

}  // namespace

OpSchema greater_or_equal() {
  return {
      .name = "GreaterOrEqual",
      .op_class = OpClass::kMath,
      .doc = "C = (A >= B)",
      .onnx = {"GreaterOrEqual"},
      .aten = {"aten::ge.Tensor"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<GreaterOrEqual>,
      .reference = binary<GreaterOrEqual>,
  };
}

}  // namespace npugraph::ops
