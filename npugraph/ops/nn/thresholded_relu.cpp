// SPDX-License-Identifier: Apache-2.0
// ThresholdedRelu, element by element.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const double alpha = context.attrs.f64("alpha");
  return map_real(context, [=](double x) { return x > alpha ? x : 0.0; });
}

}  // namespace

OpSchema thresholded_relu() {
  return {
      .name = "ThresholdedRelu",
      .op_class = OpClass::kNn,
      .doc = "y = x for x > alpha, else 0",
      .onnx = {"ThresholdedRelu"},
      .aten = {"aten::threshold"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(1.0F)}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
