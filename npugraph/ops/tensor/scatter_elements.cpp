// SPDX-License-Identifier: Apache-2.0
// ScatterElements: one index an update, along one axis. Source: ONNX ScatterElements-18.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/tensor/scatter.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& indices = context.in[1];
  const TensorView& updates = context.in[2];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  NPU_LET(const Reduction reduction, parse_reduction(context.attrs.str("reduction")));
  NPU_TRY(check_dims(y, x.dims));
  NPU_TRY(check_dims(updates, indices.dims));
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d != axis && indices.dims[at_index(d)] > x.dims[at_index(d)])
      return fail(ErrorId::kIndexOutOfRange, text("indices are longer than data on axis ", d),
                  dims_str(indices.dims), text("at most ", dims_str(x.dims)));
  NPU_TRY(copy_all(x, y));
  const Dims strides = strides_of(x.dims);
  Dims others = strides;
  others[at_index(axis)] = 0;
  for (Odometer at(indices.dims, {others}); !at.done(); at.next()) {
    NPU_LET(const int64_t index, wrap_index(indices.load_int(at.count()), x.dims[at_index(axis)]));
    scatter_element(reduction, updates, at.count(), y,
                    at.offset(0) + index * strides[at_index(axis)]);
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  NPU_TRY(wrap_axis(context.attrs.i64("axis"), x.rank()));
  for (const int64_t input : {1, 2})
    if (context.shape(input).rank() != x.rank())
      return fail(ErrorId::kShapeMismatch, "rank of indices and updates of ScatterElements",
                  context.shape(input).str(), text("rank ", x.rank(), ", as data"));
  for (int64_t d = 0; d < x.rank(); ++d)
    NPU_TRY(match_dims(context.shape(1)[d], context.shape(2)[d],
                       text("dimensions ", d, " of indices and updates")));
  NPU_LET(auto outputs, one_output(context.type(0).dtype, x));
  if (context.attrs.str("reduction") == "none")
    move_contents(context, reference, [](int64_t input) { return input != 1; }, outputs);
  return outputs;
}

}  // namespace

OpSchema scatter_elements() {
  return {
      .name = "ScatterElements",
      .op_class = OpClass::kTensor,
      .doc =
          "y = data; y[i.., indices[i.., j, k..], k..] = updates[i.., j, k..], or combined with "
          "what is there by reduction",
      .onnx = {"ScatterElements"},
      .aten = {"aten::scatter.src", "aten::scatter_add", "aten::scatter_reduce.two"},
      .inputs = {{"data", kDataTypes, Arity::kOne, "T"},
                 {"indices", kIndexTypes},
                 {"updates", kDataTypes, Arity::kOne, "T"}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{0}}, reduction_attr()},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
