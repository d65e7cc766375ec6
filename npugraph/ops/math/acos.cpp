// SPDX-License-Identifier: Apache-2.0
// Acos, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::acos(x); }

}  // namespace

OpSchema acos() {
  return {
      .name = "Acos",
      .op_class = OpClass::kMath,
      .doc = "y = arccos(x) in radians; NaN outside [-1, 1]",
      .onnx = {"Acos"},
      .aten = {"aten::acos"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
