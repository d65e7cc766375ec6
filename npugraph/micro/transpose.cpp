// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/transpose.h"

#include <algorithm>

#include "npugraph/micro/vec.h"

namespace npugraph::micro {

namespace {

// A block of 16 x 16 touches 16 cache lines on each side.
constexpr int64_t kBlock = 16;

template <class T>
void block_of(const T* in, int64_t in_stride, T* out, int64_t out_stride, int64_t rows,
              int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) out[r * out_stride + c] = in[c * in_stride + r];
  }
}

// uint32_t is moved as float: only loads, shuffles and stores, which keep every bit.
void block_of(const float* in, int64_t in_stride, float* out, int64_t out_stride, int64_t rows,
              int64_t cols) {
  const int64_t whole_rows = rows / 4 * 4;
  const int64_t whole_cols = cols / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += 4) {
    for (int64_t c = 0; c < whole_cols; c += 4) {
      transpose_4x4(in + c * in_stride + r, in_stride, out + r * out_stride + c, out_stride);
    }
  }
  const auto rest_in = reinterpret_cast<const uint32_t*>(in);
  const auto rest_out = reinterpret_cast<uint32_t*>(out);
  block_of(rest_in + whole_cols * in_stride, in_stride, rest_out + whole_cols, out_stride,
           whole_rows, cols - whole_cols);
  block_of(rest_in + whole_rows, in_stride, rest_out + whole_rows * out_stride, out_stride,
           rows - whole_rows, cols);
}

template <class T>
void transpose_of(const std::byte* in, int64_t in_stride, std::byte* out, int64_t out_stride,
                  int64_t rows, int64_t cols) {
  const T* from = reinterpret_cast<const T*>(in);
  T* to = reinterpret_cast<T*>(out);
  for (int64_t r = 0; r < rows; r += kBlock) {
    for (int64_t c = 0; c < cols; c += kBlock) {
      block_of(from + c * in_stride + r, in_stride, to + r * out_stride + c, out_stride,
               std::min(kBlock, rows - r), std::min(kBlock, cols - c));
    }
  }
}

}  // namespace

void transpose_4x4(const float* in, int64_t in_stride, float* out, int64_t out_stride) noexcept {
  using V = VecF<4>;
  using I = VecI<4>;
  const V a = load<4>(in);
  const V b = load<4>(in + in_stride);
  const V c = load<4>(in + 2 * in_stride);
  const V d = load<4>(in + 3 * in_stride);
  const V ab_low = __builtin_shuffle(a, b, I{0, 4, 1, 5});
  const V ab_high = __builtin_shuffle(a, b, I{2, 6, 3, 7});
  const V cd_low = __builtin_shuffle(c, d, I{0, 4, 1, 5});
  const V cd_high = __builtin_shuffle(c, d, I{2, 6, 3, 7});
  store<4>(out, __builtin_shuffle(ab_low, cd_low, I{0, 1, 4, 5}));
  store<4>(out + out_stride, __builtin_shuffle(ab_low, cd_low, I{2, 3, 6, 7}));
  store<4>(out + 2 * out_stride, __builtin_shuffle(ab_high, cd_high, I{0, 1, 4, 5}));
  store<4>(out + 3 * out_stride, __builtin_shuffle(ab_high, cd_high, I{2, 3, 6, 7}));
}

void transpose(int64_t element_bytes, const std::byte* in, int64_t in_stride, std::byte* out,
               int64_t out_stride, int64_t rows, int64_t cols) noexcept {
  switch (element_bytes) {
    case 1:
      return transpose_of<uint8_t>(in, in_stride, out, out_stride, rows, cols);
    case 2:
      return transpose_of<uint16_t>(in, in_stride, out, out_stride, rows, cols);
    case 4:
      return transpose_of<float>(in, in_stride, out, out_stride, rows, cols);
    default:
      return transpose_of<uint64_t>(in, in_stride, out, out_stride, rows, cols);
  }
}

}  // namespace npugraph::micro
