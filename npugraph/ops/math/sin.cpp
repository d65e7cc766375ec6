// SPDX-License-Identifier: Apache-2.0
// Sin, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::sin(x); }

}  // namespace

OpSchema sin() {
  return {
      .name = "Sin",
      .op_class = OpClass::kMath,
      .doc = "y = sin(x), x in radians",
      .onnx = {"Sin"},
      .aten = {"aten::sin"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
