// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that are one operator of ours, or two. Source: onnxruntime's contrib
// operator documentation.
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

Attrs gelu_attrs(std::string_view approximate) {
  Attrs attrs;
  attrs.set("approximate", std::string(approximate));
  return attrs;
}

/// Adds input 1, a bias, to input 0.
Status add_bias(Call& call, Emitter& emitter) {
  if (call.input(1) != nullptr) {
    NPU_LET(Value* const sum, emitter.node("Add", {call.input(0), call.input(1)}));
    call.set_input(0, sum);
  }
  call.inputs.resize(1);
  return ok();
}

}  // namespace

Status gelu_erf(Call& call, Emitter&) {
  call.attrs = gelu_attrs("none");
  return ok();
}

Status fast_gelu(Call& call, Emitter& emitter) {
  call.attrs = gelu_attrs("tanh");
  return add_bias(call, emitter);
}

Status bias_gelu(Call& call, Emitter& emitter) {
  call.attrs = gelu_attrs("none");
  return add_bias(call, emitter);
}

Status quick_gelu(Call& call, Emitter& emitter) {
  // y = x * sigmoid(alpha * x), alpha 1.702
  constexpr double kAlpha = 1.702;
  const AttrValue* value = call.attrs.find("alpha");
  const double* given = value != nullptr ? std::get_if<double>(value) : nullptr;
  const Tensor alpha =
      Tensor::scalar(emitter.dtype_of(call.input(0)), given != nullptr ? *given : kAlpha);
  NPU_LET(Value* const scaled,
          emitter.node("Mul", {call.input(0), emitter.constant("alpha", alpha)}));
  NPU_LET(Value* const gate, emitter.node("Sigmoid", {scaled}));
  call.inputs = {call.input(0), gate};
  call.attrs = {};
  return ok();
}

Status rms_norm(Call& call, Emitter&) {
  if (call.outputs.size() > 1 && !call.outputs[1].empty())
    return fail(ErrorId::kOnnxOperator, "output 'inv_std_var' of SimplifiedLayerNormalization",
                "in use", "the first output alone");
  if (call.outputs.size() > 1) call.outputs.resize(1);
  return ok();
}

}  // namespace npugraph::onnx
