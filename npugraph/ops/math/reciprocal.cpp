// SPDX-License-Identifier: Apache-2.0
// Reciprocal, element by element.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return 1 / x; }

}  // namespace

OpSchema reciprocal() {
  return {
      .name = "Reciprocal",
      .op_class = OpClass::kMath,
      .doc = "y = 1 / x",
      .onnx = {"Reciprocal"},
      .aten = {"aten::reciprocal"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
