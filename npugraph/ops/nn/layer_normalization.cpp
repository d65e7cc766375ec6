// SPDX-License-Identifier: Apache-2.0
// Normalisation over the trailing axes from `axis` on. Source: ONNX LayerNormalization-17; agrees
// with aten::layer_norm.
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/gemm.h"
#include "npugraph/ops/nn/norm.h"

namespace npugraph::ops {
namespace {

/// The dtype of Mean and InvStdDev.
Result<DType> stash_dtype(const Attrs& attrs) {
  const int64_t number = attrs.i64("stash_type");
  const auto dtype = dtype_from_onnx(static_cast<int32_t>(number));
  if (dtype && kFloatTypes.has(*dtype)) return *dtype;
  return fail(ErrorId::kBadAttribute, "attribute 'stash_type'", text(number),
              text("the ONNX number of ", kFloatTypes.str()));
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_epsilon(context.attrs));
  const Shape& x = context.shape(0);
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  NPU_LET(const DType stash, stash_dtype(context.attrs));
  NPU_TRY(check_addend(context.shape(1), x, "Scale of LayerNormalization"));
  if (context.has(2)) NPU_TRY(check_addend(context.shape(2), x, "B of LayerNormalization"));
  NPU_LET(auto outputs, one_output(context.type(0).dtype, x));
  Shape kept = x;
  for (int64_t d = axis; d < x.rank(); ++d) kept[d] = Dim(1);
  while (static_cast<int64_t>(outputs.size()) < context.output_count) {
    NPU_LET(auto more, one_output(stash, kept));
    outputs.push_back(std::move(more[0]));
  }
  return outputs;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  const double epsilon = context.attrs.f64("epsilon");
  const int64_t count = product(x.dims, axis, x.rank());
  const bool has_bias = context.has(2);
  const TensorView& scale = context.in[1];
  const Dims bias_strides =
      has_bias ? broadcast_strides(context.in[2].dims, x.dims) : Dims(x.dims.size(), 0);
  Odometer at(x.dims, {broadcast_strides(scale.dims, x.dims), bias_strides});
  for (int64_t row = 0; !at.done(); ++row) {
    const Moments moments = moments_of(x, row * count, count);
    const double factor = 1 / std::sqrt(moments.variance + epsilon);
    if (context.out.size() > 1) context.out[1].store(row, moments.mean);
    if (context.out.size() > 2) context.out[2].store(row, factor);
    for (int64_t i = 0; i < count; ++i, at.next()) {
      double value = (x.load(at.count()) - moments.mean) * factor * scale.load(at.offset(0));
      if (has_bias) value += context.in[2].load(at.offset(1));
      y.store(at.count(), value);
    }
  }
  return ok();
}

}  // namespace

OpSchema layer_normalization() {
  return {
      .name = "LayerNormalization",
      .op_class = OpClass::kNn,
      .doc = "Y = (X - mean) / sqrt(variance + epsilon) * Scale + B, over the axes from axis on",
      .onnx = {"LayerNormalization"},
      .aten = {"aten::layer_norm", "aten::native_layer_norm"},
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"Scale", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOptional, "T"}},
      .outputs = {{"Y"}, {"Mean", Arity::kOptional}, {"InvStdDev", Arity::kOptional}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{-1}},
                {"epsilon", AttrKind::kFloat, static_cast<double>(1e-5F)},
                {"stash_type", AttrKind::kInt, int64_t{1}, false, 1, 16}},
      .infer = infer,
      .reference = reference,
      .work = norm_work,
  };
}

}  // namespace npugraph::ops
