// SPDX-License-Identifier: Apache-2.0
// Bitwise or with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct BitwiseOr {
  template <class T>
  static T whole(T a, T b) {
    return a | b;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) {
    if (!a.is_static() || !b.is_static()) return std::nullopt;
    return Dim(a.value() | b.value());
  }
};

}  // namespace

OpSchema bitwise_or() {
  return {
      .name = "BitwiseOr",
      .op_class = OpClass::kMath,
      .doc = "C = A | B, bit by bit",
      .onnx = {"BitwiseOr"},
      .aten = {"aten::bitwise_or.Tensor"},
      .inputs = {{"A", kIntTypes, Arity::kOne, "T"}, {"B", kIntTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<BitwiseOr>,
      .reference = binary<BitwiseOr>,
  };
}

}  // namespace npugraph::ops
