// SPDX-License-Identifier: Apache-2.0
// Round, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::nearbyint(x); }

}  // namespace

OpSchema round() {
  return {
      .name = "Round",
      .op_class = OpClass::kMath,
      .doc = "y = the nearest integer, halves to the even one",
      .onnx = {"Round"},
      .aten = {"aten::round"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
