// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/nn/pool.h"

namespace npugraph::ops {

Result<Shape> pool_shape(const InferContext& context) {
  const Shape& x = context.shape(0);
  if (x.rank() < 3)
    return fail(ErrorId::kShapeMismatch, "input of a pooling operator", x.str(),
                "rank 3 or more: [n, c, spatial...]");
  NPU_LET(const auto window, window_of(context.attrs, x.rank() - 2));
  NPU_LET(const auto spatial, window_outputs(x, window, context.attrs));
  std::vector<Dim> dims = {x[0], x[1]};
  dims.insert(dims.end(), spatial.begin(), spatial.end());
  return Shape(std::move(dims));
}

Result<Window3> pool_window(const RunContext& context) {
  const TensorView& x = context.in[0];
  NPU_LET(const auto window, window_of(context.attrs, x.rank() - 2));
  return place_window(window, context.attrs, x.dims, context.out[0].dims);
}

std::vector<AttrSchema> pool_attrs() {
  std::vector<AttrSchema> attrs = window_attrs(true);
  attrs.push_back({"ceil_mode", AttrKind::kInt, int64_t{0}, false, 0, 1});
  return attrs;
}

Work pool_work(std::span<const TensorType> in, std::span<const TensorType> out,
               const Attrs& attrs) {
  double taps = 1;
  for (const int64_t k : attrs.ints("kernel_shape")) taps *= static_cast<double>(k);
  Work work;
  work.flops = taps * static_cast<double>(out[0].shape.elements().value());
  work.bytes = static_cast<double>(in[0].bytes().value());
  for (const TensorType& type : out) work.bytes += static_cast<double>(type.bytes().value());
  return work;
}

Taps taps_of(const Window3& window, int axis, int64_t out) {
  const int64_t start = out * window.stride[axis] - window.pad_begin[axis];
  const int64_t step = window.dilation[axis];
  const int64_t kernel = window.kernel[axis];
  // Taps are start + k * step for k in [0, kernel): cut to the input without walking the rest.
  const auto taps_below = [&](int64_t limit) {
    return limit <= start ? 0 : std::min(kernel, (limit - start + step - 1) / step);
  };
  const int64_t skipped = start < 0 ? std::min(kernel, (-start + step - 1) / step) : 0;
  Taps taps;
  taps.step = step;
  taps.first = start + skipped * step;
  taps.last = skipped == kernel ? taps.first : start + taps_below(window.in[axis]) * step;
  taps.last = std::min(taps.last, window.in[axis]);
  taps.padded = taps_below(window.in[axis] + window.pad_end[axis]);
  return taps;
}

}  // namespace npugraph::ops
