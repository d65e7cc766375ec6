// SPDX-License-Identifier: Apache-2.0
// Softsign, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return x / (1 + std::abs(x)); }

}  // namespace

OpSchema softsign() {
  return {
      .name = "Softsign",
      .op_class = OpClass::kNn,
      .doc = "y = x / (1 + |x|)",
      .onnx = {"Softsign"},
      .aten = {"aten::softsign"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
