// SPDX-License-Identifier: Apache-2.0
// Batch normalisation with given statistics (inference). Source: ONNX BatchNormalization-15; agrees
// with aten::batch_norm out of training.
#include <cmath>

#include "npugraph/ops/nn/norm.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_epsilon(context.attrs));
  const Shape& x = context.shape(0);
  // A vector of rank 1 counts as one channel.
  const Dim channels = x.rank() > 1 ? x[1] : Dim(1);
  if (x.rank() < 1)
    return fail(ErrorId::kShapeMismatch, "X of BatchNormalization", x.str(), "rank 1 or more");
  NPU_TRY(check_vector(context, 1, channels, "scale of BatchNormalization"));
  NPU_TRY(check_vector(context, 2, channels, "B of BatchNormalization"));
  NPU_TRY(check_vector(context, 3, channels, "input_mean of BatchNormalization"));
  NPU_TRY(check_vector(context, 4, channels, "input_var of BatchNormalization"));
  return one_output(context.type(0).dtype, x);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const double epsilon = context.attrs.f64("epsilon");
  const int64_t channels = x.rank() > 1 ? x.dims[1] : 1;
  const int64_t count = product(x.dims, 2, x.rank());
  for (int64_t c = 0; c < channels; ++c) {
    const double factor = context.in[1].load(c) / std::sqrt(context.in[4].load(c) + epsilon);
    const double mean = context.in[3].load(c), bias = context.in[2].load(c);
    for (int64_t n = 0; n < x.dims[0]; ++n) {
      const int64_t first = (n * channels + c) * count;
      for (int64_t i = first; i < first + count; ++i)
        y.store(i, (x.load(i) - mean) * factor + bias);
    }
  }
  return ok();
}

}  // namespace

OpSchema batch_normalization() {
  return {
      .name = "BatchNormalization",
      .op_class = OpClass::kNn,
      .doc = "Y = (X - input_mean) / sqrt(input_var + epsilon) * scale + B, per channel",
      .onnx = {"BatchNormalization"},
      .aten = {"aten::batch_norm", "aten::_native_batch_norm_legit_no_training"},
      .inputs = {{"X", kFloatTypes},
                 {"scale", kFloatTypes, Arity::kOne, "T1"},
                 {"B", kFloatTypes, Arity::kOne, "T1"},
                 {"input_mean", kFloatTypes, Arity::kOne, "T2"},
                 {"input_var", kFloatTypes, Arity::kOne, "T2"}},
      .attrs = {{"epsilon", AttrKind::kFloat, static_cast<double>(1e-5F)},
                {"momentum", AttrKind::kFloat, static_cast<double>(0.9F)},
                {"training_mode", AttrKind::kInt, int64_t{0}, false, 0, 0}},
      .infer = infer,
      .reference = reference,
      .work = norm_work,
  };
}

}  // namespace npugraph::ops
