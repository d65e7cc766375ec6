// SPDX-License-Identifier: Apache-2.0
// Erf, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::erf(x); }

}  // namespace

OpSchema erf() {
  return {
      .name = "Erf",
      .op_class = OpClass::kMath,
      .doc = "y = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x",
      .onnx = {"Erf"},
      .aten = {"aten::erf"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
