// SPDX-License-Identifier: Apache-2.0
// Tan, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::tan(x); }

}  // namespace

OpSchema tan() {
  return {
      .name = "Tan",
      .op_class = OpClass::kMath,
      .doc = "y = tan(x), x in radians",
      .onnx = {"Tan"},
      .aten = {"aten::tan"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
