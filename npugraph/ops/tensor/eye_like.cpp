// SPDX-License-Identifier: Apache-2.0
// EyeLike. Source: ONNX EyeLike-9 and later.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  const int64_t k = context.attrs.i64("k");
  NPU_TRY(check_dims(y, context.in[0].dims));
  const int64_t rows = y.dims[0], columns = y.dims[1];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      y.store(row * columns + column, column - row == k ? 1 : 0);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  if (x.shape.rank() != 2)
    return fail(ErrorId::kShapeMismatch, "rank of the input of EyeLike", x.shape.str(), "rank 2");
  if (!context.attrs.has("dtype")) return one_output(x.dtype, x.shape);
  const int64_t number = context.attrs.i64("dtype");
  const auto dtype = dtype_from_onnx(static_cast<int32_t>(number));
  if (!dtype || !kDataTypes.has(*dtype))
    return fail(ErrorId::kBadAttribute, "attribute 'dtype' of EyeLike", text(number),
                text("an ONNX element type among ", kDataTypes.str()));
  return one_output(*dtype, x.shape);
}

}  // namespace

OpSchema eye_like() {
  return {
      .name = "EyeLike",
      .op_class = OpClass::kTensor,
      .doc = "a matrix of the dims of input: y[i, j] = (j - i == k)",
      .onnx = {"EyeLike"},
      .inputs = {{"input", kDataTypes}},
      .outputs = {{"output"}},
      .attrs = {{"dtype", AttrKind::kInt, std::nullopt, false, 1, 22},
                {"k", AttrKind::kInt, int64_t{0}}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
