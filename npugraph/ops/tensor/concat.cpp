// SPDX-License-Identifier: Apache-2.0
// Concat along one axis. Source: ONNX Concat-13.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), y.rank()));
  Dims wanted = context.in[0].dims;
  int64_t length = 0;
  for (const TensorView& x : context.in) {
    if (x.rank() != y.rank())
      return fail(ErrorId::kShapeMismatch, "ranks of tensors to concatenate", dims_str(x.dims),
                  text("rank ", y.rank()));
    wanted[at_index(axis)] = x.dims[at_index(axis)];
    NPU_TRY(check_dims(x, wanted));
    length += x.dims[at_index(axis)];
  }
  wanted[at_index(axis)] = length;
  NPU_TRY(check_dims(y, wanted));
  const int64_t rows = product(y.dims, 0, axis);
  const int64_t inner = product(y.dims, axis + 1, y.rank());
  int64_t first = 0;
  for (const TensorView& x : context.in) {
    const int64_t run = x.dims[at_index(axis)] * inner;
    for (int64_t row = 0; row < rows; ++row)
      copy_elements(x, row * run, y, row * length * inner + first, run);
    first += run;
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const int64_t rank = context.shape(0).rank();
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), rank));
  Shape shape = context.shape(0);
  for (int64_t i = 1; i < static_cast<int64_t>(context.in.size()); ++i) {
    const Shape& x = context.shape(i);
    if (x.rank() != rank)
      return fail(ErrorId::kShapeMismatch, text("rank of input ", i, " of Concat"), x.str(),
                  text("rank ", rank, ", as the inputs before it"));
    for (int64_t d = 0; d < rank; ++d) {
      if (d == axis) {
        shape[d] = shape[d] + x[d];
        continue;
      }
      NPU_TRY(match_dims(shape[d], x[d], text("dimensions ", d, " of tensors to concatenate")));
      if (!shape[d].is_static()) shape[d] = x[d].is_static() ? x[d] : shape[d];
    }
  }
  NPU_LET(auto outputs, one_output(context.type(0).dtype, std::move(shape)));
  move_contents(context, reference, [](int64_t) { return true; }, outputs);
  return outputs;
}

}  // namespace

OpSchema concat() {
  return {
      .name = "Concat",
      .op_class = OpClass::kTensor,
      .doc = "the inputs one after another along axis",
      .onnx = {"Concat"},
      .aten = {"aten::cat"},
      .inputs = {{"inputs", kDataTypes, Arity::kVariadic, "T"}},
      .outputs = {{"concat_result"}},
      .attrs = {{"axis", AttrKind::kInt, std::nullopt, true}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
