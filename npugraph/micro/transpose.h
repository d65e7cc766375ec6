// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace npugraph::micro {

/// Four floats of each of four lines, turned: out[q * out_stride + i] = line i, float q.
void transpose_4x4(const float* in, int64_t in_stride, float* out, int64_t out_stride) noexcept;

/// out[r * out_stride + c] = in[c * in_stride + r] for r < rows, c < cols; elements of 1, 2, 4 or 8
/// bytes, strides in elements.
void transpose(int64_t element_bytes, const std::byte* in, int64_t in_stride, std::byte* out,
               int64_t out_stride, int64_t rows, int64_t cols) noexcept;

}  // namespace npugraph::micro
