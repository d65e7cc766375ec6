// SPDX-License-Identifier: Apache-2.0
// Atan, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::atan(x); }

}  // namespace

OpSchema atan() {
  return {
      .name = "Atan",
      .op_class = OpClass::kMath,
      .doc = "y = arctan(x) in radians",
      .onnx = {"Atan"},
      .aten = {"aten::atan"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
