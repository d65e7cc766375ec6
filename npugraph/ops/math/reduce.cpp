// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/math/reduce.h"

#include <algorithm>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

bool is_reduced(const Ints& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// The output while the axes are not known: with keepdims the rank is, without it the number of
/// axes may tell the rank.
Result<std::vector<InferOutput>> infer_late(const InferContext& context) {
  const int64_t rank = context.shape(0).rank();
  const int64_t count = context.shape(1).rank() == 1 ? context.shape(1)[0].known().value_or(0) : 0;
  int64_t out_rank = rank;
  if (!context.attrs.flag("keepdims")) {
    if (count == 0 || count > rank) return one_output(context.type(0).dtype, Shape::unranked());
    out_rank = rank - count;
  }
  std::vector<Dim> dims;
  for (int64_t i = 0; i < out_rank; ++i) dims.push_back(context.late_dim(i));
  return one_output(context.type(0).dtype, Shape(std::move(dims)));
}

std::optional<std::vector<Dim>> contents(const InferContext& context, const Ints& axes,
                                         GroupDims content) {
  const auto in = ints_of(context, 0);
  const auto dims = context.shape(0).known();
  const DType dtype = context.type(0).dtype;
  if (content == nullptr || !in || !dims || (dtype != DType::kI64 && dtype != DType::kI32))
    return std::nullopt;
  const ReduceGroups groups = reduce_groups(*dims, axes);
  std::vector<Dim> out, group(groups.inner.size());
  for (Odometer at(groups.kept, {groups.kept_strides}); !at.done(); at.next()) {
    for (size_t i = 0; i < group.size(); ++i)
      group[i] = (*in)[at_index(at.offset(0) + groups.inner[i])];
    const auto value = content(group);
    if (!value || !dim_fits(*value, dtype)) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace

Result<std::vector<InferOutput>> infer_reduce(const InferContext& context, GroupDims content) {
  const Shape& x = context.shape(0);
  if (context.has(1) && context.shape(1).rank() > 1)
    return fail(ErrorId::kShapeMismatch, "axes of a reduction", context.shape(1).str(),
                "a 1-D tensor");
  NPU_LET(const auto given, axes_of(context, 1, x.rank()));
  if (!given) return infer_late(context);
  const Ints axes = reduction_axes(*given, x.rank(), context.attrs.flag("noop_with_empty_axes"));
  std::vector<Dim> dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!is_reduced(axes, d))
      dims.push_back(x[d]);
    else if (context.attrs.flag("keepdims"))
      dims.emplace_back(1);
  }
  return one_output(context.type(0).dtype, Shape(std::move(dims)),
                    contents(context, axes, content));
}

ReduceGroups reduce_groups(const Dims& dims, const Ints& axes) {
  const Dims strides = strides_of(dims);
  ReduceGroups groups;
  Dims inner, inner_strides;
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool reduced = is_reduced(axes, static_cast<int64_t>(d));
    (reduced ? inner : groups.kept).push_back(dims[d]);
    (reduced ? inner_strides : groups.kept_strides).push_back(strides[d]);
  }
  for (Odometer at(inner, {inner_strides}); !at.done(); at.next())
    groups.inner.push_back(at.offset(0));
  return groups;
}

Result<ReduceGroups> reduce_groups(const RunContext& context) {
  const TensorView& x = context.in[0];
  NPU_LET(Ints axes, axes_of(context, 1, x.rank()));
  axes = reduction_axes(std::move(axes), x.rank(), context.attrs.flag("noop_with_empty_axes"));
  return reduce_groups(x.dims, axes);
}

OpSchema reduce_schema(std::string_view name, std::string_view doc,
                       std::vector<std::string_view> aten, DTypeSet dtypes,
                       Result<std::vector<InferOutput>> (*infer)(const InferContext&),
                       Status (*reference)(const RunContext&) noexcept) {
  return {
      .name = name,
      .op_class = OpClass::kMath,
      .doc = doc,
      .onnx = {name},
      .aten = std::move(aten),
      .inputs = {{"data", dtypes}, {"axes", kI64Type, Arity::kOptional}},
      .outputs = {{"reduced"}},
      .attrs = {{"keepdims", AttrKind::kInt, int64_t{1}, false, 0, 1},
                {"noop_with_empty_axes", AttrKind::kInt, int64_t{0}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
      .work = [](std::span<const TensorType> in, std::span<const TensorType> out,
                 const Attrs&) -> Work {
        return {.flops = static_cast<double>(in[0].shape.elements().value()),
                .bytes = static_cast<double>(in[0].bytes().value() + out[0].bytes().value())};
      },
  };
}

}  // namespace npugraph::ops
