// SPDX-License-Identifier: Apache-2.0
// GatherElements: one index an element, along one axis. Source: ONNX GatherElements-13.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& indices = context.in[1];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  NPU_TRY(check_dims(y, indices.dims));
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d != axis && indices.dims[at_index(d)] > x.dims[at_index(d)])
      return fail(ErrorId::kIndexOutOfRange, text("indices are longer than data on axis ", d),
                  dims_str(indices.dims), text("at most ", dims_str(x.dims)));
  const Dims strides = strides_of(x.dims);
  Dims others = strides;
  others[at_index(axis)] = 0;
  for (Odometer at(indices.dims, {others}); !at.done(); at.next()) {
    NPU_LET(const int64_t index, wrap_index(indices.load_int(at.count()), x.dims[at_index(axis)]));
    copy_elements(x, at.offset(0) + index * strides[at_index(axis)], y, at.count());
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  NPU_TRY(wrap_axis(context.attrs.i64("axis"), x.rank()));
  if (context.shape(1).rank() != x.rank())
    return fail(ErrorId::kShapeMismatch, "rank of the indices of GatherElements",
                context.shape(1).str(), text("rank ", x.rank(), ", as data"));
  NPU_LET(auto outputs, one_output(context.type(0).dtype, context.shape(1)));
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema gather_elements() {
  return {
      .name = "GatherElements",
      .op_class = OpClass::kTensor,
      .doc = "y[i.., j, k..] = data[i.., indices[i.., j, k..], k..] with j on axis",
      .onnx = {"GatherElements"},
      .aten = {"aten::gather"},
      .inputs = {{"data", kDataTypes}, {"indices", kIndexTypes}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{0}}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
