// SPDX-License-Identifier: Apache-2.0
// Cosh, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::cosh(x); }

}  // namespace

OpSchema cosh() {
  return {
      .name = "Cosh",
      .op_class = OpClass::kMath,
      .doc = "y = cosh(x)",
      .onnx = {"Cosh"},
      .aten = {"aten::cosh"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
