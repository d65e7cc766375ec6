// SPDX-License-Identifier: Apache-2.0
// Flatten to a matrix. Source: ONNX Flatten-13 and later.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  int64_t axis = context.attrs.i64("axis");
  if (axis != x.rank()) {  // the rank itself is legal here: a matrix of one column
    NPU_LET(axis, wrap_axis(axis, x.rank()));
  }
  Dim rows(1), columns(1);
  for (int64_t d = 0; d < x.rank(); ++d) {
    Dim& side = d < axis ? rows : columns;
    side = side * x[d];
  }
  return one_output(context.type(0).dtype, {rows, columns}, ints_of(context, 0));
}

Status reference(const RunContext& context) noexcept {
  return copy_all(context.in[0], context.out[0]);
}

}  // namespace

OpSchema flatten() {
  return {
      .name = "Flatten",
      .op_class = OpClass::kTensor,
      .doc = "a matrix: the dims before axis are its rows, the others its columns",
      .onnx = {"Flatten"},
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{1}}},
      .is_view = true,
      .infer = infer,
      .reference = reference,
      .work = no_work,
  };
}

}  // namespace npugraph::ops
