// SPDX-License-Identifier: Apache-2.0
// Negation; the smallest integer is its own.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

std::optional<Dim> content(std::span<const Dim> in) { return Dim(0) - in[0]; }

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, content);
}

Status reference(const RunContext& context) noexcept {
  if (is_float(context.in[0].dtype)) return map_real(context, [](double x) { return -x; });
  return map_whole(context, [](int64_t x) { return wrap_sub(int64_t{0}, x); });
}

}  // namespace

OpSchema neg() {
  return {
      .name = "Neg",
      .op_class = OpClass::kMath,
      .doc = "y = -x",
      .onnx = {"Neg"},
      .aten = {"aten::neg"},
      .inputs = {{"X", kNumberTypes}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
