// SPDX-License-Identifier: Apache-2.0
// Elu, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const double alpha = context.attrs.f64("alpha");
  return map_real(context, [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
}

}  // namespace

OpSchema elu() {
  return {
      .name = "Elu",
      .op_class = OpClass::kNn,
      .doc = "y = x for x >= 0, else alpha * (exp(x) - 1)",
      .onnx = {"Elu"},
      .aten = {"aten::elu"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(1.0F)}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
