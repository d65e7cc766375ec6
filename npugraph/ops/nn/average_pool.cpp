// SPDX-License-Identifier: Apache-2.0
// Mean of each window. Padding counts in the divisor with count_include_pad, and what lies beyond
// the padding never does. Source: ONNX AveragePool-22.
#include "npugraph/ops/nn/pool.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(Shape shape, pool_shape(context));
  return one_output(context.type(0).dtype, std::move(shape));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const Window3 window, pool_window(context));
  const bool include_pad = context.attrs.flag("count_include_pad");
  const int64_t planes = x.dims[0] * x.dims[1];
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (Odometer at(Dims(window.out, window.out + 3)); !at.done(); at.next()) {
      const Dims& p = at.index();
      const Taps taps[3] = {taps_of(window, 0, p[0]), taps_of(window, 1, p[1]),
                            taps_of(window, 2, p[2])};
      double sum = 0;
      int64_t count = 0;
      each_tap(window, taps, [&](int64_t i) {
        sum += x.load(plane * window.in_count() + i);
        ++count;
      });
      if (include_pad) count = taps[0].padded * taps[1].padded * taps[2].padded;
      // A window wholly in the padding has a mean of nothing: 0.
      y.store(plane * window.out_count() + at.count(),
              count == 0 ? 0.0 : sum / static_cast<double>(count));
    }
  }
  return ok();
}

std::vector<AttrSchema> attributes() {
  std::vector<AttrSchema> attrs = pool_attrs();
  attrs.push_back({"count_include_pad", AttrKind::kInt, int64_t{0}, false, 0, 1});
  return attrs;
}

}  // namespace

OpSchema average_pool() {
  return {
      .name = "AveragePool",
      .op_class = OpClass::kNn,
      .doc = "Y[n, c, p] = the mean of X[n, c, stride p + dilation k - pad] over k",
      .onnx = {"AveragePool"},
      .aten = {"aten::avg_pool2d"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = pool_work,
  };
}

}  // namespace npugraph::ops
