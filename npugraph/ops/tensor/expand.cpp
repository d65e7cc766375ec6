// SPDX-License-Identifier: Apache-2.0
// Expand: broadcasts to a shape given at run time. Source: ONNX Expand-13.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const Dims dims, broadcast_dims(x.dims, ints_of(context.in[1])));
  NPU_TRY(check_dims(y, dims));
  copy_strided(x, 0, dims, broadcast_strides(x.dims, dims), y);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  if (context.shape(1).rank() != 1)
    return fail(ErrorId::kShapeMismatch, "rank of input 'shape' of Expand", context.shape(1).str(),
                "one dimension");
  const DType dtype = context.type(0).dtype;
  const auto wanted = ints_of(context, 1);
  if (!wanted) {
    NPU_LET(Shape shape,
            late_shape(context, Dim::max(Dim(context.shape(0).rank()), context.shape(1)[0])));
    return one_output(dtype, std::move(shape));
  }
  for (const Dim& dim : *wanted)
    if (dim.known().value_or(0) < 0)
      return fail(ErrorId::kShapeMismatch, "a dimension is negative", join(*wanted),
                  "dimensions of 0 or more");
  NPU_LET(Shape shape, broadcast_shapes(context.shape(0), Shape(*wanted)));
  NPU_LET(auto outputs, one_output(dtype, std::move(shape)));
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema expand() {
  return {
      .name = "Expand",
      .op_class = OpClass::kTensor,
      .doc = "input broadcast together with a tensor of the dims of shape",
      .onnx = {"Expand"},
      .aten = {"aten::expand"},
      .inputs = {{"input", kDataTypes}, {"shape", kI64Type}},
      .outputs = {{"output"}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
