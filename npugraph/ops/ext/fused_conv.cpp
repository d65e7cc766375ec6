// SPDX-License-Identifier: Apache-2.0
// Convolution with what follows it: bias, residual, activation. Rounded once, at the end.
#include "npugraph/ops/ext/activation.h"
#include "npugraph/ops/math/gemm.h"
#include "npugraph/ops/nn/conv.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(fused_activation(context.attrs));
  NPU_LET(Shape shape, conv_shape(context));
  if (context.has(3)) NPU_TRY(check_addend(context.shape(3), shape, "Z of FusedConv"));
  return one_output(context.type(0).dtype, std::move(shape));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  NPU_LET(const FusedActivation activation, fused_activation(context.attrs));
  NPU_LET(const auto values, conv_real(context));
  const bool has_z = context.has(3);
  const Dims strides =
      has_z ? broadcast_strides(context.in[3].dims, y.dims) : Dims(y.dims.size(), 0);
  for (Odometer at(y.dims, {strides}); !at.done(); at.next()) {
    double value = values[at_index(at.count())];
    if (has_z) value += context.in[3].load(at.offset(0));
    y.store(at.count(), activation(value));
  }
  return ok();
}

std::vector<AttrSchema> attributes() {
  std::vector<AttrSchema> attrs = conv_attrs();
  for (AttrSchema& attr : activation_attrs()) attrs.push_back(std::move(attr));
  return attrs;
}

}  // namespace

OpSchema fused_conv() {
  return {
      .name = "FusedConv",
      .domain = "npugraph",
      .op_class = OpClass::kExt,
      .doc = "Y = activation(Conv(X, W) + B + Z)",
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"W", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOptional, "T"},
                 {"Z", kFloatTypes, Arity::kOptional, "T"}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = conv_work,
  };
}

}  // namespace npugraph::ops
