// SPDX-License-Identifier: Apache-2.0
// Local response normalisation across neighbouring channels. Source: ONNX LRN-13; agrees with
// torch.nn.LocalResponseNorm.
#include <algorithm>
#include <cmath>

#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  if (x.rank() < 2)
    return fail(ErrorId::kShapeMismatch, "X of LRN", x.str(), "rank 2 or more: [n, c, spatial...]");
  return one_output(context.type(0).dtype, x);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const int64_t size = context.attrs.i64("size");
  const double alpha = context.attrs.f64("alpha") / static_cast<double>(size);
  const double beta = context.attrs.f64("beta");
  const double bias = context.attrs.f64("bias");
  const int64_t channels = x.dims[1];
  const int64_t plane = product(x.dims, 2, x.rank());
  const int64_t before = (size - 1) / 2, after = size - 1 - before;
  for (int64_t i = 0; i < x.elements(); ++i) {
    const int64_t c = i / plane % channels;
    const int64_t first = std::max<int64_t>(0, c - before);
    const int64_t last = after >= channels - c ? channels - 1 : c + after;
    double sum = 0;
    for (int64_t k = first; k <= last; ++k) {
      const double value = x.load(i + (k - c) * plane);
      sum += value * value;
    }
    y.store(i, x.load(i) / std::pow(bias + alpha * sum, beta));
  }
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType>, const Attrs& attrs) {
  const auto size = static_cast<double>(attrs.i64("size"));
  return {.flops = (2 * size + 3) * static_cast<double>(in[0].shape.elements().value()),
          .bytes = 2.0 * static_cast<double>(in[0].bytes().value())};
}

}  // namespace

OpSchema lrn() {
  return {
      .name = "LRN",
      .op_class = OpClass::kNn,
      .doc = "Y = X / (bias + alpha / size * sum of X^2 over size channels around)^beta",
      .onnx = {"LRN"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"alpha", AttrKind::kFloat, static_cast<double>(1e-4F)},
                {"beta", AttrKind::kFloat, 0.75},
                {"bias", AttrKind::kFloat, 1.0},
                {.name = "size", .kind = AttrKind::kInt, .required = true, .min = 1}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
