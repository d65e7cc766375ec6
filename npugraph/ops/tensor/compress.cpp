// SPDX-License-Identifier: Apache-2.0
// Compress: slices where a condition holds. Source: ONNX Compress-11.
#include <algorithm>

#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// Indices that are kept, of an axis of `length`; a shorter condition is false from its end on.
Ints kept_of(const TensorView& condition, int64_t length) {
  Ints kept;
  const int64_t count = std::min(length, condition.elements());
  for (int64_t i = 0; i < count; ++i)
    if (condition.load_int(i) != 0) kept.push_back(i);
  return kept;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const bool flat = !context.attrs.has("axis");
  int64_t axis = 0;
  if (!flat) {
    NPU_LET(axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  }
  const int64_t length = flat ? x.elements() : x.dims[at_index(axis)];
  const Ints kept = kept_of(context.in[1], length);
  const auto count = static_cast<int64_t>(kept.size());
  Dims wanted = flat ? Dims{0} : x.dims;
  wanted[at_index(axis)] = count;
  NPU_TRY(check_dims(y, wanted));
  const int64_t rows = flat ? 1 : product(x.dims, 0, axis);
  const int64_t inner = flat ? 1 : product(x.dims, axis + 1, x.rank());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < count; ++i)
      copy_elements(x, (row * length + kept[at_index(i)]) * inner, y, (row * count + i) * inner,
                    inner);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  if (context.shape(1).rank() != 1)
    return fail(ErrorId::kShapeMismatch, "rank of the condition of Compress",
                context.shape(1).str(), "one dimension");
  TensorType type{x.dtype, Shape{x.shape.elements()}};
  int64_t axis = 0;
  if (context.attrs.has("axis")) {
    NPU_LET(axis, wrap_axis(context.attrs.i64("axis"), x.shape.rank()));
    type = x;
  }
  const Tensor* condition = context.in[1].constant;
  const auto length = type.shape[axis].known();
  type.shape[axis] = condition != nullptr && length
                         ? Dim(static_cast<int64_t>(kept_of(condition->view(), *length).size()))
                         : context.late_dim(0);
  return one_output(type.dtype, std::move(type.shape));
}

}  // namespace

OpSchema compress() {
  return {
      .name = "Compress",
      .op_class = OpClass::kTensor,
      .doc =
          "slices of input along axis (elements of it as a vector, without one) where condition "
          "is true",
      .onnx = {"Compress"},
      .inputs = {{"input", kDataTypes}, {"condition", kBoolType}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
