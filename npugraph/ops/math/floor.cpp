// SPDX-License-Identifier: Apache-2.0
// Floor, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

double apply(double x) { return std::floor(x); }

}  // namespace

OpSchema floor() {
  return {
      .name = "Floor",
      .op_class = OpClass::kMath,
      .doc = "y = the largest integer not above x",
      .onnx = {"Floor"},
      .aten = {"aten::floor"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = unary<apply>,
  };
}

}  // namespace npugraph::ops
