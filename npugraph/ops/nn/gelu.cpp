// SPDX-License-Identifier: Apache-2.0
// Gaussian error linear unit.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  return context.attrs.str("approximate") == "tanh" ? map_real(context, gelu_tanh_of)
                                                    : map_real(context, gelu_of);
}

}  // namespace

OpSchema gelu() {
  return {
      .name = "Gelu",
      .op_class = OpClass::kNn,
      .doc = "y = x / 2 * (1 + erf(x / sqrt(2))), or its tanh approximation",
      .onnx = {"Gelu"},
      .aten = {"aten::gelu"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{.name = "approximate",
                 .kind = AttrKind::kString,
                 .fallback = std::string("none"),
                 .choices = {"none", "tanh"}}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
