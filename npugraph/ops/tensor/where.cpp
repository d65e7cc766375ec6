// SPDX-License-Identifier: Apache-2.0
// Where: picks from X or Y by a condition. Source: ONNX Where-16.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& condition = context.in[0];
  const TensorView& x = context.in[1];
  const TensorView& y = context.in[2];
  const TensorView& out = context.out[0];
  NPU_LET(Dims dims, broadcast_dims(x.dims, y.dims));
  NPU_LET(dims, broadcast_dims(condition.dims, dims));
  NPU_TRY(check_dims(out, dims));
  for (Odometer at(dims, {broadcast_strides(condition.dims, dims), broadcast_strides(x.dims, dims),
                          broadcast_strides(y.dims, dims)});
       !at.done(); at.next()) {
    const bool first = condition.load_int(at.offset(0)) != 0;
    copy_elements(first ? x : y, at.offset(first ? 1 : 2), out, at.count());
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(Shape shape, broadcast_shapes(context.shape(1), context.shape(2)));
  NPU_LET(shape, broadcast_shapes(context.shape(0), shape));
  NPU_LET(auto outputs, one_output(context.type(1).dtype, std::move(shape)));
  move_contents(context, reference, [](int64_t input) { return input != 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema where() {
  return {
      .name = "Where",
      .op_class = OpClass::kTensor,
      .doc = "condition ? X : Y, element by element, broadcast",
      .onnx = {"Where"},
      .aten = {"aten::where.self", "aten::masked_fill.Scalar"},
      .inputs = {{"condition", kBoolType},
                 {"X", kDataTypes, Arity::kOne, "T"},
                 {"Y", kDataTypes, Arity::kOne, "T"}},
      .outputs = {{"output"}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
