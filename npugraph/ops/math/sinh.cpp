// SPDX-License-Identifier: Apache-2.0
// Sinh, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::sinh(x); }

}  // namespace

OpSchema sinh() {
  return {
      .name = "Sinh",
      .op_class = OpClass::kMath,
      .doc = "y = sinh(x)",
      .onnx = {"Sinh"},
      .aten = {"aten::sinh"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
