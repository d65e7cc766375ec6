// SPDX-License-Identifier: Apache-2.0
// Convolution over 1 to 3 spatial axes. Source: ONNX Conv-22; agrees with aten::convolution.
#include "npugraph/ops/nn/conv.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(Shape shape, conv_shape(context));
  return one_output(context.type(0).dtype, std::move(shape));
}

Status reference(const RunContext& context) noexcept {
  NPU_LET(const auto values, conv_real(context));
  for (size_t i = 0; i < values.size(); ++i)
    context.out[0].store(static_cast<int64_t>(i), values[i]);
  return ok();
}

}  // namespace

OpSchema conv() {
  return {
      .name = "Conv",
      .op_class = OpClass::kNn,
      .doc =
          "Y[n, m, p] = B[m] + sum over c, k of W[m, c, k] * X[n, c, stride p + dilation k - pad]",
      .onnx = {"Conv"},
      .aten = {"aten::convolution", "aten::conv2d"},
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"W", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOptional, "T"}},
      .attrs = conv_attrs(),
      .infer = infer,
      .reference = reference,
      .work = conv_work,
  };
}

}  // namespace npugraph::ops
