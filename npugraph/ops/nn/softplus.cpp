// SPDX-License-Identifier: Apache-2.0
// Softplus, element by element.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return softplus_of(x); }

}  // namespace

OpSchema softplus() {
  return {
      .name = "Softplus",
      .op_class = OpClass::kNn,
      .doc = "y = ln(1 + exp(x))",
      .onnx = {"Softplus"},
      .aten = {"aten::softplus"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
