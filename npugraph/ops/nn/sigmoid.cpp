// SPDX-License-Identifier: Apache-2.0
// Sigmoid, element by element.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return sigmoid_of(x); }

}  // namespace

OpSchema sigmoid() {
  return {
      .name = "Sigmoid",
      .op_class = OpClass::kNn,
      .doc = "y = 1 / (1 + exp(-x))",
      .onnx = {"Sigmoid"},
      .aten = {"aten::sigmoid"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
