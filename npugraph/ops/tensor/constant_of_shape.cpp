// SPDX-License-Identifier: Apache-2.0
// ConstantOfShape. Source: ONNX ConstantOfShape-9 and later.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status check_value(const Tensor& value) {
  if (value.elements() != 1)
    return fail(ErrorId::kBadAttribute, "attribute 'value' of ConstantOfShape", value.type().str(),
                "one element");
  return ok();
}

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  const Tensor& value = context.attrs.tensor("value");
  NPU_TRY(check_value(value));
  NPU_TRY(check_dims(y, ints_of(context.in[0])));
  const int64_t count = y.elements();
  for (int64_t i = 0; i < count; ++i) copy_elements(value.view(), 0, y, i);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Tensor& value = context.attrs.tensor("value");
  NPU_TRY(check_value(value));
  const Shape& list = context.shape(0);
  if (list.rank() != 1)
    return fail(ErrorId::kShapeMismatch, "rank of the input of ConstantOfShape", list.str(),
                "one dimension");
  const auto dims = ints_of(context, 0);
  if (!dims) {
    NPU_LET(Shape shape, late_shape(context, list[0]));
    return one_output(value.dtype(), std::move(shape));
  }
  NPU_TRY(late_shape(context, Dim(static_cast<int64_t>(dims->size()))));  // for its check
  NPU_LET(auto outputs, one_output(value.dtype(), Shape(*dims)));
  const auto known = outputs[0].type.shape.known();
  if (!known || product(*known) > kMaxContent) return outputs;
  const Dim element(value.view().load_int(0));
  return one_output(value.dtype(), Shape(*dims),
                    std::vector<Dim>(at_index(product(*known)), element));
}

}  // namespace

OpSchema constant_of_shape() {
  return {
      .name = "ConstantOfShape",
      .op_class = OpClass::kTensor,
      .doc = "a tensor of the dims in input, every element the attribute value",
      .onnx = {"ConstantOfShape"},
      .aten = {"aten::full", "aten::zeros", "aten::ones"},
      .inputs = {{"input", kI64Type}},
      .outputs = {{"output"}},
      .attrs = {{"value", AttrKind::kTensor, Tensor::of_floats({0.0f}, {1})}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
