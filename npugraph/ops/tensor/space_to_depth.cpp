// SPDX-License-Identifier: Apache-2.0
// SpaceToDepth: pixels become channels. Source: ONNX SpaceToDepth-13, and its later mode.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// Errors: kShapeMismatch unless it is [n, c, h, w] with h and w multiples of block.
Result<Shape> output_shape(const Shape& x, int64_t block) {
  if (x.rank() != 4)
    return fail(ErrorId::kShapeMismatch, "rank of the input of SpaceToDepth", x.str(), "rank 4");
  const Dim b(block);
  for (const int64_t d : {2, 3})
    if (Dim::mod(x[d], b).known().value_or(0) != 0)
      return fail(ErrorId::kShapeMismatch, "height and width of SpaceToDepth", x.str(),
                  text("multiples of ", block));
  return Shape{x[0], x[1] * b * b, Dim::floor_div(x[2], b), Dim::floor_div(x[3], b)};
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const int64_t b = context.attrs.i64("blocksize");
  NPU_LET(const Shape shape, output_shape(Shape(x.dims), b));
  NPU_TRY(check_dims(context.out[0], *shape.known()));
  const int64_t n = x.dims[0], c = x.dims[1], h = x.dims[2] / b, w = x.dims[3] / b;
  // The output reads x as [n, row in block, column in block, c, h, w] (DCR) or with c before both.
  const int64_t step_c = h * b * w * b, step_h = b * w * b;
  if (context.attrs.str("mode") == "CRD")
    copy_strided(x, 0, {n, c, b, b, h, w}, {c * step_c, step_c, w * b, 1, step_h, b},
                 context.out[0]);
  else
    copy_strided(x, 0, {n, b, b, c, h, w}, {c * step_c, w * b, 1, step_c, step_h, b},
                 context.out[0]);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(Shape shape, output_shape(context.shape(0), context.attrs.i64("blocksize")));
  return one_output(context.type(0).dtype, std::move(shape));
}

}  // namespace

OpSchema space_to_depth() {
  return {
      .name = "SpaceToDepth",
      .op_class = OpClass::kTensor,
      .doc =
          "[n, c, h*b, w*b] to [n, b*b*c, h, w]; the channels hold b x b pixels outside c (DCR) "
          "or inside (CRD)",
      .onnx = {"SpaceToDepth"},
      .aten = {"aten::pixel_unshuffle"},
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
