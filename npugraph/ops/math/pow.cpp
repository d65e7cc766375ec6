// SPDX-License-Identifier: Apache-2.0
// Power with broadcasting. Two integers give the exact power (modulo the dtype's width); a negative
// exponent gives the quotient toward zero, so 0 unless the base is 1 or -1.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

int64_t inverse_power(int64_t base, int64_t exponent) {
  if (base == 1) return 1;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  return 0;
}

int64_t whole_power(int64_t base, uint64_t exponent) {
  int64_t power = 1;
  for (int64_t square = base; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power = wrap_mul(power, square);
    square = wrap_mul(square, square);
  }
  return power;
}

std::optional<Dim> content(std::span<const Dim> in) {
  constexpr int64_t kMaxExponent = 8;  // longer products of expressions help nobody
  const auto exponent = in[1].known();
  if (!exponent || *exponent < 0 || *exponent > kMaxExponent) return std::nullopt;
  Dim power(1);
  for (int64_t i = 0; i < *exponent; ++i) power = power * in[0];
  return power;
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, content);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.in[1];
  const TensorView& z = context.out[0];
  const bool whole = is_integer(x.dtype) && is_integer(y.dtype);
  for (Odometer at(z.dims, {broadcast_strides(x.dims, z.dims), broadcast_strides(y.dims, z.dims)});
       !at.done(); at.next()) {
    if (!whole) {
      z.store(at.count(), std::pow(x.load(at.offset(0)), y.load(at.offset(1))));
      continue;
    }
    const int64_t exponent = y.load_int(at.offset(1));
    const bool below_zero = exponent < 0 && y.dtype != DType::kU64;
    const int64_t base = x.load_int(at.offset(0));
    z.store_int(at.count(), below_zero ? inverse_power(base, exponent)
                                       : whole_power(base, static_cast<uint64_t>(exponent)));
  }
  return ok();
}

}  // namespace

OpSchema pow() {
  return {
      .name = "Pow",
      .op_class = OpClass::kMath,
      .doc = "Z = X ^ Y, in the dtype of X",
      .onnx = {"Pow"},
      .aten = {"aten::pow.Tensor_Tensor", "aten::pow.Tensor_Scalar"},
      .inputs = {{"X", kNumberTypes}, {"Y", kNumberTypes}},
      .outputs = {{"Z"}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
