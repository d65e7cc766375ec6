// SPDX-License-Identifier: Apache-2.0
// Mean over all spatial axes, which become 1.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  if (x.rank() < 2)
    return fail(ErrorId::kShapeMismatch, "input of GlobalAveragePool", x.str(),
                "rank 2 or more: [n, c, spatial...]");
  std::vector<Dim> dims(x.dims().size(), Dim(1));
  dims[0] = x[0];
  dims[1] = x[1];
  return one_output(context.type(0).dtype, Shape(std::move(dims)));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const int64_t count = product(x.dims, 2, x.rank());
  for (int64_t plane = 0; plane < y.elements(); ++plane) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += x.load(plane * count + i);
    y.store(plane, sum / static_cast<double>(count));
  }
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  return {.flops = static_cast<double>(in[0].shape.elements().value()),
          .bytes = static_cast<double>(in[0].bytes().value() + out[0].bytes().value())};
}

}  // namespace

OpSchema global_average_pool() {
  return {
      .name = "GlobalAveragePool",
      .op_class = OpClass::kNn,
      .doc = "Y[n, c] = the mean of X[n, c, ...]",
      .onnx = {"GlobalAveragePool"},
      .aten = {"aten::adaptive_avg_pool2d"},
      .inputs = {{"X", kFloatTypes}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
