// SPDX-License-Identifier: Apache-2.0
// Acosh, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::acosh(x); }

}  // namespace

OpSchema acosh() {
  return {
      .name = "Acosh",
      .op_class = OpClass::kMath,
      .doc = "y = the inverse of cosh at x; NaN for x < 1",
      .onnx = {"Acosh"},
      .aten = {"aten::acosh"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
