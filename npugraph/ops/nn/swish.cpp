// SPDX-License-Identifier: Apache-2.0
// Swish, element by element.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const double alpha = context.attrs.f64("alpha");
  return map_real(context, [=](double x) { return swish_of(x, alpha); });
}

}  // namespace

OpSchema swish() {
  return {
      .name = "Swish",
      .op_class = OpClass::kNn,
      .doc = "y = x / (1 + exp(-alpha * x))",
      .onnx = {"Swish"},
      .aten = {"aten::silu"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(1.0F)}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
