// SPDX-License-Identifier: Apache-2.0
// HardSigmoid, element by element.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const double alpha = context.attrs.f64("alpha");
  const double beta = context.attrs.f64("beta");
  return map_real(context, [=](double x) { return hard_sigmoid_of(x, alpha, beta); });
}

}  // namespace

OpSchema hard_sigmoid() {
  return {
      .name = "HardSigmoid",
      .op_class = OpClass::kNn,
      .doc = "y = max(0, min(1, alpha * x + beta))",
      .onnx = {"HardSigmoid"},
      .aten = {"aten::hardsigmoid"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(0.2F)},
                {"beta", AttrKind::kFloat, static_cast<double>(0.5F)}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
