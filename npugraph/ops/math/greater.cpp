// SPDX-License-Identifier: Apache-2.0
// Comparison with broadcasting; false where either is NaN.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Greater {
  static constexpr bool kPredicate = true;
  static bool real(double a, double b) { return a > b; }
  template <class T>
  static bool whole(T a, T b) {
    return a > b;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) {
    const auto less = dim_less(b, a);
    if (!less) return std::nullopt;
    return Dim(*less ? 1 : 0);
  }
};

}  // namespace

OpSchema greater() {
  return {
      .name = "Greater",
      .op_class = OpClass::kMath,
      .doc = "C = (A > B)",
      .onnx = {"Greater"},
      .aten = {"aten::gt.Tensor"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Greater>,
      .reference = binary<Greater>,
  };
}

}  // namespace npugraph::ops
