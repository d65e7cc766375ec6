// SPDX-License-Identifier: Apache-2.0
// DepthToSpace: channels become pixels. Source: ONNX DepthToSpace-13.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// Errors: kShapeMismatch unless it is [n, c, h, w] with c a multiple of block^2.
Result<Shape> output_shape(const Shape& x, int64_t block) {
  if (x.rank() != 4)
    return fail(ErrorId::kShapeMismatch, "rank of the input of DepthToSpace", x.str(), "rank 4");
  const Dim square(block * block);
  if (Dim::mod(x[1], square).known().value_or(0) != 0)
    return fail(ErrorId::kShapeMismatch, "channels of DepthToSpace", x[1].str(),
                text("a multiple of ", square));
  return Shape{x[0], Dim::floor_div(x[1], square), x[2] * Dim(block), x[3] * Dim(block)};
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const int64_t b = context.attrs.i64("blocksize");
  NPU_LET(const Shape shape, output_shape(Shape(x.dims), b));
  NPU_TRY(check_dims(context.out[0], *shape.known()));
  const int64_t n = x.dims[0], c = x.dims[1] / (b * b), h = x.dims[2], w = x.dims[3];
  const bool column_first = context.attrs.str("mode") == "CRD";
  // Channels of x are [b, b, c] (DCR) or [c, b, b] (CRD); the output reads [n, c, h, b, w, b].
  const int64_t step_c = column_first ? b * b * h * w : h * w;
  const int64_t step_row = column_first ? b * h * w : b * c * h * w;
  const int64_t step_column = column_first ? h * w : c * h * w;
  copy_strided(x, 0, {n, c, h, b, w, b}, {c * b * b * h * w, step_c, w, step_row, 1, step_column},
               context.out[0]);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(Shape shape, output_shape(context.shape(0), context.attrs.i64("blocksize")));
  return one_output(context.type(0).dtype, std::move(shape));
}

}  // namespace

OpSchema depth_to_space() {
  return {
      .name = "DepthToSpace",
      .op_class = OpClass::kTensor,
      .doc =
          "[n, c*b*b, h, w] to [n, c, h*b, w*b]; the channels hold b x b pixels outside c (DCR) "
          "or inside (CRD)",
      .onnx = {"DepthToSpace"},
      .aten = {"aten::pixel_shuffle"},
      .inputs = {{"input", kDataTypes}},
      .outputs = {{"output"}},
      .attrs = {{"blocksize", AttrKind::kInt, std::nullopt, true, 1, 1 << 15},
                {.name = "mode",
                 .kind = AttrKind::kString,
                 .fallback = std::string("DCR"),
                 .choices = {"DCR", "CRD"}}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
