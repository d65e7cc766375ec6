// SPDX-License-Identifier: Apache-2.0
// OneHot. Source: ONNX OneHot-11.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& indices = context.in[0];
  const TensorView& values = context.in[2];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t depth, scalar_of(context.in[1], "depth of OneHot"));
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), indices.rank() + 1));
  if (values.elements() != 2)
    return fail(ErrorId::kShapeMismatch, "values of OneHot", dims_str(values.dims), "2");
  Dims wanted = indices.dims;
  wanted.insert(wanted.begin() + axis, depth);
  NPU_TRY(check_dims(y, wanted));
  const int64_t inner = product(indices.dims, axis, indices.rank());
  for (Odometer at(y.dims); !at.done(); at.next()) {
    const int64_t i = at.count() / (depth * inner) * inner + at.count() % inner;
    int64_t hot = indices.load_int(i);
    if (hot < 0) hot += depth;
    copy_elements(values, at.index()[at_index(axis)] == hot ? 1 : 0, y, at.count());
  }
  return ok();
}

/// The number of classes, which may be a float. Errors: kShapeMismatch below 0 or beyond counting.
Result<Dim> depth_of(const InferContext& context) {
  const Tensor* constant = context.in[1].constant;
  if (const auto ints = ints_of(context, 1); ints && ints->size() == 1) {
    if (ints->front().known().value_or(0) >= 0) return ints->front();
    return fail(ErrorId::kShapeMismatch, "depth of OneHot", text(ints->front()), "0 or more");
  }
  if (constant == nullptr || constant->elements() != 1) return context.late_dim(0);
  const double depth = constant->view().load(0);
  if (!(depth >= 0 && depth <= static_cast<double>(kMaxTensor_bytes)))
    return fail(ErrorId::kShapeMismatch, "depth of OneHot", text(depth), "0 or more");
  return Dim(static_cast<int64_t>(depth));
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& indices = context.shape(0);
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), indices.rank() + 1));
  NPU_TRY(check_scalar(context.shape(1), "depth of OneHot"));
  if (context.shape(2).rank() != 1)
    return fail(ErrorId::kShapeMismatch, "values of OneHot", context.shape(2).str(), "[2]");
  NPU_TRY(match_dims(context.shape(2)[0], Dim(2), "the number of values of OneHot and 2"));
  NPU_LET(const Dim depth, depth_of(context));
  std::vector<Dim> dims = indices.dims();
  dims.insert(dims.begin() + axis, depth);
  return one_output(context.type(2).dtype, Shape(std::move(dims)));
}

}  // namespace

OpSchema one_hot() {
  return {
      .name = "OneHot",
      .op_class = OpClass::kTensor,
      .doc =
          "y[.., j, ..] = values[1] where j == indices[..], else values[0]; j runs over depth at "
          "axis; an index outside -depth..depth-1 gives values[0] all along",
      .onnx = {"OneHot"},
      .aten = {"aten::one_hot"},
      .inputs = {{"indices", kNumberTypes}, {"depth", kNumberTypes}, {"values", kDataTypes}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{-1}}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
