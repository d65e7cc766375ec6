// SPDX-License-Identifier: Apache-2.0
// Asinh, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::asinh(x); }

}  // namespace

OpSchema asinh() {
  return {
      .name = "Asinh",
      .op_class = OpClass::kMath,
      .doc = "y = the inverse of sinh at x",
      .onnx = {"Asinh"},
      .aten = {"aten::asinh"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
