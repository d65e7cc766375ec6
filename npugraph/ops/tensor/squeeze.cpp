// SPDX-License-Identifier: Apache-2.0
// Squeeze: drops dims of 1. Source: ONNX Squeeze-13 and later.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  const DType dtype = context.type(0).dtype;
  NPU_LET(const auto axes, axes_of(context, 1, x.rank()));
  if (!axes) {
    const Shape& list = context.shape(1);
    const Dim count = list.rank() == 1 ? list[0] : Dim(1);
    NPU_LET(Shape shape, late_shape(context, Dim(x.rank()) - count));
    return one_output(dtype, std::move(shape));
  }
  const bool every = !context.has(1);
  std::vector<Dim> dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const bool named = std::find(axes->begin(), axes->end(), d) != axes->end();
    if (every && !x[d].is_static()) return one_output(dtype, Shape::unranked());
    if (named) NPU_TRY(match_dims(x[d], Dim(1), text("dimension ", d, " to squeeze and 1")));
    if (!named && !(every && x[d] == Dim(1))) dims.push_back(x[d]);
  }
  return one_output(dtype, Shape(std::move(dims)), ints_of(context, 0));
}

Status reference(const RunContext& context) noexcept {
  return copy_all(context.in[0], context.out[0]);
}

}  // namespace

OpSchema squeeze() {
  return {
      .name = "Squeeze",
      .op_class = OpClass::kTensor,
      .doc = "drops the dims named by axes, which are 1; without axes, every dim of 1",
      .onnx = {"Squeeze"},
      .aten = {"aten::squeeze", "aten::squeeze.dim", "aten::squeeze.dims"},
      .inputs = {{"data"}, {"axes", kI64Type, Arity::kOptional}},
      .outputs = {{"squeezed"}},
      .is_view = true,
      .infer = infer,
      .reference = reference,
      .work = no_work,
  };
}

}  // namespace npugraph::ops
