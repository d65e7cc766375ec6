// SPDX-License-Identifier: Apache-2.0
// Magnitude; the smallest integer is its own.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

std::optional<Dim> content(std::span<const Dim> in) {
  const Dim opposite = Dim(0) - in[0];
  if (in[0].is_nonnegative()) return in[0];
  if (opposite.is_nonnegative()) return opposite;
  return std::nullopt;
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, content);
}

Status reference(const RunContext& context) noexcept {
  const DType dtype = context.in[0].dtype;
  if (is_float(dtype)) return map_real(context, [](double x) { return std::abs(x); });
  const bool has_sign = is_signed(dtype);
  return map_whole(context,
                   [=](int64_t x) { return has_sign && x < 0 ? wrap_sub(int64_t{0}, x) : x; });
}

}  // namespace

OpSchema abs() {
  return {
      .name = "Abs",
      .op_class = OpClass::kMath,
      .doc = "y = |x|",
      .onnx = {"Abs"},
      .aten = {"aten::abs"},
      .inputs = {{"X", kNumberTypes}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
