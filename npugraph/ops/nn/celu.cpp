// SPDX-License-Identifier: Apache-2.0
// Celu, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const double alpha = context.attrs.f64("alpha");
  return map_real(context, [=](double x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; });
}

}  // namespace

OpSchema celu() {
  return {
      .name = "Celu",
      .op_class = OpClass::kNn,
      .doc = "y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))",
      .onnx = {"Celu"},
      .aten = {"aten::celu"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(1.0F)}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
