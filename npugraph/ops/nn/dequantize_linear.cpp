// SPDX-License-Identifier: Apache-2.0
// Back from a grid of integers (or 8-bit floats). Source: ONNX DequantizeLinear-23.
#include "npugraph/ops/nn/quant.h"

namespace npugraph::ops {
namespace {

constexpr DTypeSet kSourceTypes = kQuantizedTypes | types({DType::kI32});

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_scales(context));
  NPU_LET(const auto asked, dtype_attr(context.attrs, "output_dtype", kFloatTypes));
  return one_output(asked.value_or(context.type(1).dtype), context.shape(0));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const ScaleIndex index, ScaleIndex::make(context));
  for (int64_t i = 0; i < y.elements(); ++i) {
    const int64_t k = index.of(i);
    const double zero = context.has(2) ? context.in[2].load(k) : 0.0;
    y.store(i, (x.load(i) - zero) * context.in[1].load(k));
  }
  return ok();
}

}  // namespace

OpSchema dequantize_linear() {
  return {
      .name = "DequantizeLinear",
      .op_class = OpClass::kNn,
      .doc = "y = (x - x_zero_point) * x_scale",
      .onnx = {"DequantizeLinear"},
      .aten = {"aten::dequantize.self"},
      .inputs = {{"x", kSourceTypes, Arity::kOne, "T"},
                 {"x_scale", kFloatTypes},
                 {"x_zero_point", kSourceTypes, Arity::kOptional, "T"}},
      .outputs = {{"y"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{1}},
                {"block_size", AttrKind::kInt, int64_t{0}, false, 0},
                {"output_dtype", AttrKind::kInt, int64_t{0}, false, 0}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
