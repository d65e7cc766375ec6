// SPDX-License-Identifier: Apache-2.0
// Sum of two tensors with broadcasting; integers wrap.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Add {
  static double real(double a, double b) { return a + b; }
  template <class T>
  static T whole(T a, T b) {
    return wrap_add(a, b);
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return a + b; }
};

}  // namespace

OpSchema add() {
  return {
      .name = "Add",
      .op_class = OpClass::kMath,
      .doc = "C = A + B",
      .onnx = {"Add"},
      .aten = {"aten::add.Tensor"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Add>,
      .reference = binary<Add>,
  };
}

}  // namespace npugraph::ops
