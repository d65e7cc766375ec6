// SPDX-License-Identifier: Apache-2.0
// HardSwish, element by element.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return hard_swish_of(x); }

}  // namespace

OpSchema hard_swish() {
  return {
      .name = "HardSwish",
      .op_class = OpClass::kNn,
      .doc = "y = x * max(0, min(1, x / 6 + 1/2))",
      .onnx = {"HardSwish"},
      .aten = {"aten::hardswish"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
