// SPDX-License-Identifier: Apache-2.0
// Selu, element by element.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const double alpha = context.attrs.f64("alpha");
  const double gamma = context.attrs.f64("gamma");
  return map_real(context,
                  [=](double x) { return x > 0 ? gamma * x : gamma * alpha * std::expm1(x); });
}

}  // namespace

OpSchema selu() {
  return {
      .name = "Selu",
      .op_class = OpClass::kNn,
      .doc = "y = gamma * x for x > 0, else gamma * alpha * (exp(x) - 1)",
      .onnx = {"Selu"},
      .aten = {"aten::selu"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(1.67326319217681884765625F)},
                {"gamma", AttrKind::kFloat, static_cast<double>(1.05070102214813232421875F)}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
