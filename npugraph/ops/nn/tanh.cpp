// SPDX-License-Identifier: Apache-2.0
// Tanh, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::tanh(x); }

}  // namespace

OpSchema tanh() {
  return {
      .name = "Tanh",
      .op_class = OpClass::kNn,
      .doc = "y = tanh(x)",
      .onnx = {"Tanh"},
      .aten = {"aten::tanh"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
