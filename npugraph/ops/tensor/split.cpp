// SPDX-License-Identifier: Apache-2.0
// Split along one axis. Source: ONNX Split-18.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// Sizes of the parts, when they are not given: all equal, the last one smaller.
Result<std::vector<Dim>> equal_parts(const InferContext& context, const Dim& length) {
  const int64_t count = context.output_count;
  if (context.attrs.has("num_outputs") && context.attrs.i64("num_outputs") != count)
    return fail(ErrorId::kBadAttribute, "attribute 'num_outputs' of Split",
                text(context.attrs.i64("num_outputs")), text(count, ", the number of outputs"));
  const Dim part = Dim::ceil_div(length, Dim(count));
  std::vector<Dim> parts(at_index(count), part);
  parts.back() = length - part * Dim(count - 1);
  return parts;
}

Result<std::vector<Dim>> part_lengths(const InferContext& context, const Dim& length) {
  if (!context.has(1)) return equal_parts(context, length);
  const Shape& list = context.shape(1);
  if (list.rank() != 1)
    return fail(ErrorId::kShapeMismatch, "rank of input 'split' of Split", list.str(),
                "one dimension");
  NPU_TRY(match_dims(list[0], Dim(context.output_count), "number of parts and of outputs"));
  const auto known = ints_of(context, 1);
  if (known && static_cast<int64_t>(known->size()) == context.output_count) {
    Dim total(0);
    for (const Dim& part : *known) total = total + part;
    NPU_TRY(match_dims(total, length, "the sum of the parts and the axis"));
    return *known;
  }
  std::vector<Dim> parts;
  for (int64_t i = 0; i < context.output_count; ++i) parts.push_back(context.late_dim(i));
  return parts;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  Dims wanted = x.dims;
  int64_t total = 0;
  for (const TensorView& y : context.out) {
    if (y.rank() != x.rank())
      return fail(ErrorId::kShapeMismatch, "rank of a part", dims_str(y.dims), dims_str(x.dims));
    wanted[at_index(axis)] = y.dims[at_index(axis)];
    NPU_TRY(check_dims(y, wanted));
    total += y.dims[at_index(axis)];
  }
  const int64_t length = x.dims[at_index(axis)];
  if (total != length)
    return fail(ErrorId::kShapeMismatch, "the parts do not fill the axis", text(total),
                text(length));
  const int64_t rows = product(x.dims, 0, axis);
  const int64_t inner = product(x.dims, axis + 1, x.rank());
  int64_t first = 0;
  for (const TensorView& y : context.out) {
    const int64_t run = y.dims[at_index(axis)] * inner;
    for (int64_t row = 0; row < rows; ++row)
      copy_elements(x, row * length * inner + first, y, row * run, run);
    first += run;
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.shape.rank()));
  NPU_LET(const std::vector<Dim> parts, part_lengths(context, x.shape[axis]));
  std::vector<InferOutput> outputs;
  for (const Dim& part : parts) {
    TensorType type = x;
    type.shape[axis] = part;
    NPU_TRY(check_type(type));
    outputs.push_back({std::move(type), std::nullopt});
  }
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema split() {
  return {
      .name = "Split",
      .op_class = OpClass::kTensor,
      .doc = "parts of input along axis, of the lengths in split, or equal ones",
      .onnx = {"Split"},
      .aten = {"aten::split.Tensor", "aten::split_with_sizes", "aten::chunk"},
      .inputs = {{"input", kDataTypes}, {"split", kI64Type, Arity::kOptional}},
      .outputs = {{"outputs", Arity::kVariadic}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{0}},
                {"num_outputs", AttrKind::kInt, std::nullopt, false, 1}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
