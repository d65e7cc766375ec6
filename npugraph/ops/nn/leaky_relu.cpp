// SPDX-License-Identifier: Apache-2.0
// LeakyRelu, element by element.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const double alpha = context.attrs.f64("alpha");
  return map_real(context, [=](double x) { return leaky_relu_of(x, alpha); });
}

}  // namespace

OpSchema leaky_relu() {
  return {
      .name = "LeakyRelu",
      .op_class = OpClass::kNn,
      .doc = "y = x for x >= 0, else alpha * x",
      .onnx = {"LeakyRelu"},
      .aten = {"aten::leaky_relu"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(0.01F)}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
