// SPDX-License-Identifier: Apache-2.0
// Unsqueeze: inserts dims of 1. Source: ONNX Unsqueeze-13 and later.
#include <algorithm>

#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& list = context.shape(1);
  const DType dtype = context.type(0).dtype;
  NPU_TRY(check_list(list, "input 'axes' of Unsqueeze"));
  const auto numbers = numbers_of(context, 1);
  if (!numbers) {
    const Dim count = list.rank() == 1 ? list[0] : Dim(1);
    NPU_LET(Shape shape, late_shape(context, Dim(x.rank()) + count));
    return one_output(dtype, std::move(shape));
  }
  const int64_t rank = x.rank() + static_cast<int64_t>(numbers->size());
  NPU_LET(const Ints axes, wrap_axes(*numbers, rank));
  std::vector<Dim> dims;
  for (int64_t d = 0, from = 0; d < rank; ++d) {
    const bool is_new = std::find(axes.begin(), axes.end(), d) != axes.end();
    dims.push_back(is_new || from >= x.rank() ? Dim(1) : x[from++]);
  }
  return one_output(dtype, Shape(std::move(dims)), ints_of(context, 0));
}

Status reference(const RunContext& context) noexcept {
  return copy_all(context.in[0], context.out[0]);
}

}  // namespace

OpSchema unsqueeze() {
  return {
      .name = "Unsqueeze",
      .op_class = OpClass::kTensor,
      .doc = "inserts dims of 1 so that they stand at axes of the output",
      .onnx = {"Unsqueeze"},
      .aten = {"aten::unsqueeze"},
      .inputs = {{"data"}, {"axes", kI64Type}},
      .outputs = {{"expanded"}},
      .is_view = true,
      .infer = infer,
      .reference = reference,
      .work = no_work,
  };
}

}  // namespace npugraph::ops
