// SPDX-License-Identifier: Apache-2.0
// Division by the root mean square over the trailing axes from `axis` on. The output has the dtype
// of scale. Source: ONNX RMSNormalization-23; agrees with aten::rms_norm.
#include <cmath>

#include "npugraph/ops/math/gemm.h"
#include "npugraph/ops/nn/norm.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_epsilon(context.attrs));
  const Shape& x = context.shape(0);
  NPU_TRY(wrap_axis(context.attrs.i64("axis"), x.rank()));
  NPU_TRY(check_addend(context.shape(1), x, "scale of RMSNormalization"));
  return one_output(context.type(1).dtype, x);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& scale = context.in[1];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  const double epsilon = context.attrs.f64("epsilon");
  const int64_t count = product(x.dims, axis, x.rank());
  Odometer at(x.dims, {broadcast_strides(scale.dims, x.dims)});
  while (!at.done()) {
    double sum = 0;
    for (int64_t i = at.count(); i < at.count() + count; ++i) sum += x.load(i) * x.load(i);
    const double factor = 1 / std::sqrt(sum / static_cast<double>(count) + epsilon);
    for (int64_t i = 0; i < count; ++i, at.next())
      y.store(at.count(), x.load(at.count()) * factor * scale.load(at.offset(0)));
  }
  return ok();
}

}  // namespace

OpSchema rms_normalization() {
  return {
      .name = "RMSNormalization",
      .op_class = OpClass::kNn,
      .doc = "Y = X / sqrt(mean(X^2) + epsilon) * scale, over the axes from axis on",
      .onnx = {"RMSNormalization"},
      .aten = {"aten::rms_norm"},
      .inputs = {{"X", kFloatTypes}, {"scale", kFloatTypes}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{-1}},
                {"epsilon", AttrKind::kFloat, static_cast<double>(1e-5F)},
                {"stash_type", AttrKind::kInt, int64_t{1}, false, 1, 16}},
      .infer = infer,
      .reference = reference,
      .work = norm_work,
  };
}

}  // namespace npugraph::ops
