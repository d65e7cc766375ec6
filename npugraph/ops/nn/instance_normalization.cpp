// SPDX-License-Identifier: Apache-2.0
// Normalisation of each channel of each sample. Source: ONNX InstanceNormalization-22.
#include <cmath>

#include "npugraph/ops/nn/norm.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_epsilon(context.attrs));
  const Shape& x = context.shape(0);
  if (x.rank() < 3)
    return fail(ErrorId::kShapeMismatch, "input of InstanceNormalization", x.str(),
                "rank 3 or more: [n, c, spatial...]");
  NPU_TRY(check_vector(context, 1, x[1], "scale of InstanceNormalization"));
  NPU_TRY(check_vector(context, 2, x[1], "B of InstanceNormalization"));
  return one_output(context.type(0).dtype, x);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const double epsilon = context.attrs.f64("epsilon");
  const int64_t planes = x.dims[0] * x.dims[1];
  const int64_t count = product(x.dims, 2, x.rank());
  for (int64_t plane = 0; plane < planes; ++plane) {
    const int64_t c = plane % x.dims[1], first = plane * count;
    const Moments moments = moments_of(x, first, count);
    const double factor = context.in[1].load(c) / std::sqrt(moments.variance + epsilon);
    for (int64_t i = first; i < first + count; ++i)
      y.store(i, (x.load(i) - moments.mean) * factor + context.in[2].load(c));
  }
  return ok();
}

}  // namespace

OpSchema instance_normalization() {
  return {
      .name = "InstanceNormalization",
      .op_class = OpClass::kNn,
      .doc = "y = scale * (x - mean) / sqrt(variance + epsilon) + B, over each [n, c]",
      .onnx = {"InstanceNormalization"},
      .aten = {"aten::instance_norm"},
      .inputs = {{"input", kFloatTypes, Arity::kOne, "T"},
                 {"scale", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOne, "T"}},
      .outputs = {{"output"}},
      .attrs = {{"epsilon", AttrKind::kFloat, static_cast<double>(1e-5F)}},
      .infer = infer,
      .reference = reference,
      .work = norm_work,
  };
}

}  // namespace npugraph::ops
