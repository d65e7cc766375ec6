// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/kernels/tools.h"
#include "npugraph/micro/planes.h"

/// Sliding windows of convolution and pooling as the micro-kernels want them.
namespace npugraph::kernels {

/// One or two spatial axes: [n, c, w] or [n, c, h, w].
inline bool is_planar(const KernelNode& node, int64_t input) {
  const int64_t rank = rank_of(node, input);
  return rank == 3 || rank == 4;
}

/// The node's window for concrete x and y; kernel dims from `weights` ([.., .., kernel…]) when not
/// null, from kernel_shape otherwise. Errors: as ops::window_of.
Result<micro::Window> planar_window(const Attrs& attrs, const Dims& x, const Dims& y,
                                    const Dims* weights);

/// Scratch for floats, in bytes. Errors: kOutOfMemory for sizes that no machine holds.
Result<int64_t> float_bytes(int64_t count);

}  // namespace npugraph::kernels
