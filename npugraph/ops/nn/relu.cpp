// SPDX-License-Identifier: Apache-2.0
// Rectifier; integers too.
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const DType dtype = context.in[0].dtype;
  if (is_float(dtype)) return map_real(context, relu_of);
  const bool has_sign = is_signed(dtype);
  return map_whole(context, [=](int64_t x) { return has_sign && x < 0 ? 0 : x; });
}

}  // namespace

OpSchema relu() {
  return {
      .name = "Relu",
      .op_class = OpClass::kNn,
      .doc = "y = max(x, 0); NaN for NaN",
      .onnx = {"Relu"},
      .aten = {"aten::relu"},
      .inputs = {{"X", kNumberTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
