// SPDX-License-Identifier: Apache-2.0
// Atanh, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::atanh(x); }

}  // namespace

OpSchema atanh() {
  return {
      .name = "Atanh",
      .op_class = OpClass::kMath,
      .doc = "y = the inverse of tanh at x; NaN outside [-1, 1]",
      .onnx = {"Atanh"},
      .aten = {"aten::atanh"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
