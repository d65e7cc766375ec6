// SPDX-License-Identifier: Apache-2.0
// Exp, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::exp(x); }

}  // namespace

OpSchema exp() {
  return {
      .name = "Exp",
      .op_class = OpClass::kMath,
      .doc = "y = e^x",
      .onnx = {"Exp"},
      .aten = {"aten::exp"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
