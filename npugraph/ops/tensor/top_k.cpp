// SPDX-License-Identifier: Apache-2.0
// TopK along one axis. Source: ONNX TopK-11 and later.
#include <algorithm>
#include <numeric>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/tensor/order.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& values = context.out[0];
  NPU_LET(const int64_t k, scalar_of(context.in[1], "K of TopK"));
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  const int64_t length = x.dims[at_index(axis)];
  if (k < 0 || k > length)
    return fail(ErrorId::kShapeMismatch, "K of TopK", text(k), text("0..", length));
  Dims wanted = x.dims;
  wanted[at_index(axis)] = k;
  for (const TensorView& out : context.out)
    if (!out.absent()) NPU_TRY(check_dims(out, wanted));
  const int better = context.attrs.flag("largest") ? 1 : -1;
  const int64_t inner = product(x.dims, axis + 1, x.rank());
  const int64_t rows = k == 0 ? 0 : product(x.dims, 0, axis) * inner;
  Ints order(at_index(length));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row / inner * length * inner + row % inner;
    std::iota(order.begin(), order.end(), int64_t{0});
    // Of equal elements the one that comes first wins.
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return compare_elements(x, first + a * inner, first + b * inner) == better;
    });
    for (int64_t i = 0; i < k; ++i) {
      const int64_t to = (row / inner * k + i) * inner + row % inner;
      if (!values.absent()) copy_elements(x, first + order[at_index(i)] * inner, values, to);
      if (context.out.size() > 1 && !context.out[1].absent())
        context.out[1].store_int(to, order[at_index(i)]);
    }
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.shape.rank()));
  NPU_TRY(check_scalar(context.shape(1), "K of TopK"));
  auto k = ints_of(context, 1);
  if (k && k->size() != 1) k.reset();
  TensorType type = x;
  type.shape[axis] = k ? k->front() : context.late_dim(axis);
  const auto gap = k ? (x.shape[axis] - k->front()).known() : std::nullopt;
  if (gap.value_or(0) < 0)
    return fail(ErrorId::kShapeMismatch, "K of TopK is more than there is",
                text(k->front(), " of ", x.shape[axis]), "K up to the length of the axis");
  NPU_TRY(check_type(type));
  return std::vector<InferOutput>{{type}, {{DType::kI64, type.shape}}};
}

}  // namespace

OpSchema top_k() {
  return {
      .name = "TopK",
      .op_class = OpClass::kTensor,
      .doc =
          "the K largest (or smallest) elements along axis, best first, and their indices; of "
          "equal ones the lower index comes first; NaN counts as largest",
      .onnx = {"TopK"},
      .aten = {"aten::topk"},
      .inputs = {{"X", kNumberTypes}, {"K", kI64Type}},
      .outputs = {{"Values"}, {"Indices"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{-1}},
                {"largest", AttrKind::kInt, int64_t{1}, false, 0, 1},
                {"sorted", AttrKind::kInt, int64_t{1}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
