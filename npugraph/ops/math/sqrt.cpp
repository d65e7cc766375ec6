// SPDX-License-Identifier: Apache-2.0
// Sqrt, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::sqrt(x); }

}  // namespace

OpSchema sqrt() {
  return {
      .name = "Sqrt",
      .op_class = OpClass::kMath,
      .doc = "y = sqrt(x); NaN for x < 0",
      .onnx = {"Sqrt"},
      .aten = {"aten::sqrt"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
