// SPDX-License-Identifier: Apache-2.0
// Cos, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::cos(x); }

}  // namespace

OpSchema cos() {
  return {
      .name = "Cos",
      .op_class = OpClass::kMath,
      .doc = "y = cos(x), x in radians",
      .onnx = {"Cos"},
      .aten = {"aten::cos"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
