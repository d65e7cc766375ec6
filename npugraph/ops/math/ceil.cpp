// SPDX-License-Identifier: Apache-2.0
// Ceil, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::ceil(x); }

}  // namespace

OpSchema ceil() {
  return {
      .name = "Ceil",
      .op_class = OpClass::kMath,
      .doc = "y = the smallest integer not below x",
      .onnx = {"Ceil"},
      .aten = {"aten::ceil"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
