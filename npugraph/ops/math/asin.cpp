// SPDX-License-Identifier: Apache-2.0
// Asin, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::asin(x); }

}  // namespace

OpSchema asin() {
  return {
      .name = "Asin",
      .op_class = OpClass::kMath,
      .doc = "y = arcsin(x) in radians; NaN outside [-1, 1]",
      .onnx = {"Asin"},
      .aten = {"aten::asin"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
