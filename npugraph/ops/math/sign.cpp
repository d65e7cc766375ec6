// SPDX-License-Identifier: Apache-2.0
// Sign of each element.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

std::optional<Dim> content(std::span<const Dim> in) {
  const auto number = in[0].known();
  if (!number) return std::nullopt;
  return Dim(*number > 0 ? 1 : *number < 0 ? -1 : 0);
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, content);
}

Status reference(const RunContext& context) noexcept {
  const DType dtype = context.in[0].dtype;
  if (is_float(dtype))
    return map_real(context, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; });
  const bool has_sign = is_signed(dtype);
  return map_whole(context, [=](int64_t x) { return x == 0 ? 0 : has_sign && x < 0 ? -1 : 1; });
}

}  // namespace

OpSchema sign() {
  return {
      .name = "Sign",
      .op_class = OpClass::kMath,
      .doc = "y = 1, 0 or -1 as x > 0, x = 0 or x < 0; NaN for NaN",
      .onnx = {"Sign"},
      .aten = {"aten::sign"},
      .inputs = {{"X", kNumberTypes}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
