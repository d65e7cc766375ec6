// SPDX-License-Identifier: Apache-2.0
// Mish, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return x * std::tanh(softplus_of(x)); }

}  // namespace

OpSchema mish() {
  return {
      .name = "Mish",
      .op_class = OpClass::kNn,
      .doc = "y = x * tanh(ln(1 + exp(x)))",
      .onnx = {"Mish"},
      .aten = {"aten::mish"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
