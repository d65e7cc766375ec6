// SPDX-License-Identifier: Apache-2.0
// Softmax over one axis. Source: ONNX Softmax-13; agrees with aten::_softmax.
#include <algorithm>
#include <cmath>

#include "npugraph/ops/op.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(wrap_axis(context.attrs.i64("axis"), context.shape(0).rank()));
  return std::vector<InferOutput>{{context.type(0)}};
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  const int64_t length = x.dims[static_cast<size_t>(axis)];
  int64_t stride = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < x.dims.size(); ++d) stride *= x.dims[d];

  const int64_t rows = length == 0 ? 0 : x.elements() / length;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row / stride * stride * length + row % stride;
    const int64_t last = first + length * stride;
    double peak = x.load(first), sum = 0;
    for (int64_t i = first; i < last; i += stride) peak = std::max(peak, x.load(i));
    for (int64_t i = first; i < last; i += stride) sum += std::exp(x.load(i) - peak);
    for (int64_t i = first; i < last; i += stride) y.store(i, std::exp(x.load(i) - peak) / sum);
  }
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType>, const Attrs&) {
  return {.flops = 5.0 * static_cast<double>(in[0].shape.elements().value()),
          .bytes = 2.0 * static_cast<double>(in[0].bytes().value())};
}

}  // namespace

OpSchema softmax() {
  return {
      .name = "Softmax",
      .op_class = OpClass::kNn,
      .doc = "y = exp(x - max(x)) / sum(exp(x - max(x))) along axis",
      .onnx = {"Softmax"},
      .aten = {"aten::_softmax", "aten::softmax.int"},
      .inputs = {{"input", kFloatTypes}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{-1}}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
