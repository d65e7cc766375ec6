// SPDX-License-Identifier: Apache-2.0
// Rounding to a grid of integers (or 8-bit floats). Source: ONNX QuantizeLinear-23.
#include <algorithm>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/ops/nn/quant.h"

namespace npugraph::ops {
namespace {

constexpr DTypeSet kSourceTypes = kFloatTypes | types({DType::kI32});

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_scales(context));
  NPU_LET(const auto asked, dtype_attr(context.attrs, "output_dtype", kQuantizedTypes));
  if (asked && context.has(2) && context.type(2).dtype != *asked)
    return fail(ErrorId::kDTypeMismatch, "zero point of QuantizeLinear",
                std::string(dtype_name(context.type(2).dtype)),
                text(dtype_name(*asked), ", as output_dtype says"));
  const DType dtype = context.has(2) ? context.type(2).dtype : asked.value_or(DType::kU8);
  return one_output(dtype, context.shape(0));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const ScaleIndex index, ScaleIndex::make(context));
  const bool single = x.dtype != DType::kF64;
  for (int64_t i = 0; i < y.elements(); ++i) {
    const int64_t k = index.of(i);
    const double scale = context.in[1].load(k);
    // In the precision of the model: which halves there are hangs on it.
    const double quotient =
        single ? static_cast<double>(static_cast<float>(x.load(i)) / static_cast<float>(scale))
               : x.load(i) / scale;
    if (is_float(y.dtype)) {
      y.store(i, quotient);
      continue;
    }
    const double zero = context.has(2) ? context.in[2].load(k) : 0.0;
    // Storing saturates; halves go to the even integer before the zero point is added.
    y.store(i, std::nearbyint(quotient) + zero);
  }
  return ok();
}

}  // namespace

OpSchema quantize_linear() {
  return {
      .name = "QuantizeLinear",
      .op_class = OpClass::kNn,
      .doc = "y = saturate(round(x / y_scale) + y_zero_point), halves to even",
      .onnx = {"QuantizeLinear"},
      .aten = {"aten::quantize_per_tensor", "aten::quantize_per_channel"},
      .inputs = {{"x", kSourceTypes},
                 {"y_scale", kFloatTypes},
                 {"y_zero_point", kQuantizedTypes, Arity::kOptional}},
      .outputs = {{"y"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{1}},
                {"block_size", AttrKind::kInt, int64_t{0}, false, 0},
                {"output_dtype", AttrKind::kInt, int64_t{0}, false, 0},
                {"precision", AttrKind::kInt, int64_t{0}, false, 0, 1},
                {"saturate", AttrKind::kInt, int64_t{1}, false, 1, 1}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
