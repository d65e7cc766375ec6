// SPDX-License-Identifier: Apache-2.0
// Log, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::log(x); }

}  // namespace

OpSchema log() {
  return {
      .name = "Log",
      .op_class = OpClass::kMath,
      .doc = "y = ln(x); NaN for x < 0, -infinity for 0",
      .onnx = {"Log"},
      .aten = {"aten::log"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
