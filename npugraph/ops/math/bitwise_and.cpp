// SPDX-License-Identifier: Apache-2.0
// Bitwise and with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct BitwiseAnd {
  template <class T>
  static T whole(T a, T b) {
    return a & b;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) {
    if (!a.is_static() || !b.is_static()) return std::nullopt;
    return Dim(a.value() & b.value());
  }
};

}  // namespace

OpSchema bitwise_and() {
  return {
      .name = "BitwiseAnd",
      .op_class = OpClass::kMath,
      .doc = "C = A & B, bit by bit",
      .onnx = {"BitwiseAnd"},
      .aten = {"aten::bitwise_and.Tensor"},
      .inputs = {{"A", kIntTypes, Arity::kOne, "T"}, {"B", kIntTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<BitwiseAnd>,
      .reference = binary<BitwiseAnd>,
  };
}

}  // namespace npugraph::ops
