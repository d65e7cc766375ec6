// SPDX-License-Identifier: Apache-2.0
#include "npugraph/kernels/window_plan.h"

#include "npugraph/base/text.h"
#include "npugraph/ops/nn/window.h"

namespace npugraph::kernels {

Result<micro::Window> planar_window(const Attrs& attrs, const Dims& x, const Dims& y,
                                    const Dims* weights) {
  std::vector<Dim> kernel;
  if (weights != nullptr) kernel.assign(weights->begin() + 2, weights->end());
  const auto spatial = static_cast<int64_t>(x.size()) - 2;
  NPU_LET(const auto axes, ops::window_of(attrs, spatial, weights != nullptr ? &kernel : nullptr));
  const ops::Window3 window = ops::place_window(axes, attrs, x, y);
  return micro::Window{.in_h = window.in[1],
                       .in_w = window.in[2],
                       .out_h = window.out[1],
                       .out_w = window.out[2],
                       .kernel_h = window.kernel[1],
                       .kernel_w = window.kernel[2],
                       .stride_h = window.stride[1],
                       .stride_w = window.stride[2],
                       .dilation_h = window.dilation[1],
                       .dilation_w = window.dilation[2],
                       .pad_top = window.pad_begin[1],
                       .pad_left = window.pad_begin[2]};
}

Result<int64_t> float_bytes(int64_t count) {
  constexpr int64_t kMostFloats = int64_t{1} << 40;
  if (count < 0 || count > kMostFloats) {
    return fail(ErrorId::kOutOfMemory, "the scratch of a kernel is too large",
                text(count, " floats"), text("at most ", kMostFloats));
  }
  return count * static_cast<int64_t>(sizeof(float));
}

}  // namespace npugraph::kernels
