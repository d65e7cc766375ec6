// SPDX-License-Identifier: Apache-2.0
// Normalisation of each group of channels of each sample; scale and bias are per channel.
// Source: ONNX GroupNormalization-21; agrees with aten::group_norm.
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/ops/nn/norm.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_epsilon(context.attrs));
  const Shape& x = context.shape(0);
  const int64_t groups = context.attrs.i64("num_groups");
  if (x.rank() < 2)
    return fail(ErrorId::kShapeMismatch, "X of GroupNormalization", x.str(),
                "rank 2 or more: [n, c, spatial...]");
  if (const auto channels = x[1].known(); channels && *channels % groups != 0)
    return fail(ErrorId::kBadAttribute, "num_groups does not divide the channels", text(groups),
                text("a divisor of ", *channels));
  NPU_TRY(check_vector(context, 1, x[1], "scale of GroupNormalization"));
  NPU_TRY(check_vector(context, 2, x[1], "bias of GroupNormalization"));
  return one_output(context.type(0).dtype, x);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const double epsilon = context.attrs.f64("epsilon");
  const int64_t groups = context.attrs.i64("num_groups");
  const int64_t channels = x.dims[1];
  const int64_t plane = product(x.dims, 2, x.rank());
  const int64_t count = channels / groups * plane;
  for (int64_t group = 0; group < x.dims[0] * groups; ++group) {
    const int64_t first = group * count;
    const Moments moments = moments_of(x, first, count);
    const double factor = 1 / std::sqrt(moments.variance + epsilon);
    for (int64_t i = first; i < first + count; ++i) {
      const int64_t c = i / plane % channels;
      y.store(i,
              (x.load(i) - moments.mean) * factor * context.in[1].load(c) + context.in[2].load(c));
    }
  }
  return ok();
}

}  // namespace

OpSchema group_normalization() {
  return {
      .name = "GroupNormalization",
      .op_class = OpClass::kNn,
      .doc =
          "y = scale * (x - mean) / sqrt(variance + epsilon) + bias, over each group of channels",
      .onnx = {"GroupNormalization"},
      .aten = {"aten::group_norm"},
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"scale", kFloatTypes, Arity::kOne, "T"},
                 {"bias", kFloatTypes, Arity::kOne, "T"}},
      .attrs = {{"epsilon", AttrKind::kFloat, static_cast<double>(1e-5F)},
                {.name = "num_groups", .kind = AttrKind::kInt, .required = true, .min = 1},
                {"stash_type", AttrKind::kInt, int64_t{1}}},
      .infer = infer,
      .reference = reference,
      .work = norm_work,
  };
}

}  // namespace npugraph::ops
