// SPDX-License-Identifier: Apache-2.0
// Logarithm of Softmax over one axis. Source: ONNX LogSoftmax-13; agrees with aten::_log_softmax.
#include <algorithm>
#include <cmath>

#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(wrap_axis(context.attrs.i64("axis"), context.shape(0).rank()));
  return one_output(context.type(0).dtype, context.shape(0));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  const int64_t length = x.dims[at_index(axis)];
  const int64_t stride = product(x.dims, axis + 1, x.rank());
  const int64_t rows = length == 0 ? 0 : x.elements() / length;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row / stride * stride * length + row % stride;
    const int64_t last = first + length * stride;
    double peak = x.load(first), sum = 0;
    for (int64_t i = first; i < last; i += stride) peak = std::max(peak, x.load(i));
    for (int64_t i = first; i < last; i += stride) sum += std::exp(x.load(i) - peak);
    const double log_sum = std::log(sum);
    for (int64_t i = first; i < last; i += stride) y.store(i, x.load(i) - peak - log_sum);
  }
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType>, const Attrs&) {
  return {.flops = 5.0 * static_cast<double>(in[0].shape.elements().value()),
          .bytes = 2.0 * static_cast<double>(in[0].bytes().value())};
}

}  // namespace

OpSchema log_softmax() {
  return {
      .name = "LogSoftmax",
      .op_class = OpClass::kNn,
      .doc = "y = x - max(x) - ln(sum(exp(x - max(x)))) along axis",
      .onnx = {"LogSoftmax"},
      .aten = {"aten::_log_softmax", "aten::log_softmax.int"},
      .inputs = {{"input", kFloatTypes}},
      .outputs = {{"output"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{-1}}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
