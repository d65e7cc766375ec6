// SPDX-License-Identifier: Apache-2.0
// Gather: slices of one axis, picked by indices. Source: ONNX Gather-13.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& indices = context.in[1];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  Dims wanted(x.dims.begin(), x.dims.begin() + axis);
  wanted.insert(wanted.end(), indices.dims.begin(), indices.dims.end());
  wanted.insert(wanted.end(), x.dims.begin() + axis + 1, x.dims.end());
  NPU_TRY(check_dims(y, wanted));
  const int64_t rows = product(x.dims, 0, axis);
  const int64_t length = x.dims[at_index(axis)];
  const int64_t inner = product(x.dims, axis + 1, x.rank());
  const int64_t count = indices.elements();
  for (int64_t i = 0; i < count; ++i) {
    NPU_LET(const int64_t index, wrap_index(indices.load_int(i), length));
    for (int64_t row = 0; row < rows; ++row)
      copy_elements(x, (row * length + index) * inner, y, (row * count + i) * inner, inner);
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  std::vector<Dim> dims(x.dims().begin(), x.dims().begin() + axis);
  dims.insert(dims.end(), context.shape(1).dims().begin(), context.shape(1).dims().end());
  dims.insert(dims.end(), x.dims().begin() + axis + 1, x.dims().end());
  NPU_LET(auto outputs, one_output(context.type(0).dtype, Shape(std::move(dims))));
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema gather() {
  return {
      .name = "Gather",
      .op_class = OpClass::kTensor,
      .doc =
          "y[.., i.., ..] = data[.., indices[i..], ..] at axis; negative indices count from the "
          "back",
      .onnx = {"Gather"},
      .aten = {"aten::index_select", "aten::select.int", "aten::embedding"},
      .inputs = {{"data", kDataTypes}, {"indices", kIndexTypes}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{0}}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
