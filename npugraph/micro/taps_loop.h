// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/micro/micro.h"
#include "npugraph/micro/vec.h"

// Sliding windows over rows, for vectors of N floats: depthwise convolution and pooling.
namespace npugraph::micro {

template <int N>
void taps_sum(const Taps& t) noexcept {
  for (int64_t j = 0; j < t.count; j += 4 * N) {
    VecF<N> acc[4] = {};
    for (int64_t tap = 0; tap < t.taps; ++tap) {
      const float* src = t.src + t.offsets[tap] + j;
      const VecF<N> weight = splat<N>(t.weights[tap]);
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) acc[u] += weight * load<N>(src + u * N);
    }
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) store<N>(t.dst + j + u * N, acc[u]);
  }
}

template <int N>
void taps_max(const Taps& t) noexcept {
  for (int64_t j = 0; j < t.count; j += 4 * N) {
    VecF<N> best[4];
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) best[u] = splat<N>(-__builtin_inff());
    for (int64_t tap = 0; tap < t.taps; ++tap) {
      const float* src = t.src + t.offsets[tap] + j;
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) best[u] = max_nan<N>(best[u], load<N>(src + u * N));
    }
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) store<N>(t.dst + j + u * N, best[u]);
  }
}

template <int N>
void taps_loop(const Taps& t) noexcept {
  return t.weights != nullptr ? taps_sum<N>(t) : taps_max<N>(t);
}

/// Lanes 0, 2, 4, … of two vectors in a row.
template <int N>
NPU_INLINE VecF<N> even_lanes(VecF<N> a, VecF<N> b) {
  VecI<N> index;
  for (int i = 0; i < N; ++i) index[i] = 2 * i;
  return __builtin_shuffle(a, b, index);
}

/// Lanes 1, 3, 5, … of two vectors in a row.
template <int N>
NPU_INLINE VecF<N> odd_lanes(VecF<N> a, VecF<N> b) {
  VecI<N> index;
  for (int i = 0; i < N; ++i) index[i] = 2 * i + 1;
  return __builtin_shuffle(a, b, index);
}

template <int N>
NPU_INLINE void fill_floats(float* dst, int64_t count, VecF<N> fill) {
  int64_t i = 0;
  for (; i + N <= count; i += N) store<N>(dst + i, fill);
  store_part<N>(dst + i, count - i, fill);
}

template <int N>
NPU_INLINE void copy_floats(const float* src, float* dst, int64_t count) {
  int64_t i = 0;
  for (; i + N <= count; i += N) store<N>(dst + i, load<N>(src + i));
  store_part<N>(dst + i, count - i, load_part<N>(src + i, count - i, 0.0f));
}

/// dst[i] = src[2 i]; reads src[0 .. 2 (count - 1)] only.
template <int N>
NPU_INLINE void copy_even(const float* src, float* dst, int64_t count) {
  int64_t i = 0;
  for (; i + N < count; i += N) {
    const float* p = src + 2 * i;
    store<N>(dst + i, even_lanes<N>(load<N>(p), load<N>(p + N)));
  }
  if (count > N) {
    // The last whole vector, read from one float before, so that nothing past the end is touched.
    const float* p = src + 2 * (count - N) - 1;
    store<N>(dst + count - N, odd_lanes<N>(load<N>(p), load<N>(p + N)));
    return;
  }
  for (; i < count; ++i) dst[i] = src[2 * i];
}

template <int N>
NPU_INLINE void copy_line(const PlaneRows& rows, const float* src, float* dst) {
  const int64_t count = rows.last - rows.first;
  src += rows.first * rows.step;
  if (rows.step == 1) return copy_floats<N>(src, dst, count);
  if (rows.step == 2) return copy_even<N>(src, dst, count);
  for (int64_t i = 0; i < count; ++i) dst[i] = src[i * rows.step];
}

template <int N>
void plane_rows_loop(const PlaneRows& rows) noexcept {
  const VecF<N> fill = splat<N>(rows.fill);
  float* dst = rows.dst;
  for (int64_t r = 0; r < rows.rows; ++r, dst += rows.pitch) {
    fill_floats<N>(dst, rows.first, fill);
    if (rows.last > rows.first)
      copy_line<N>(rows, rows.src + r * rows.src_stride, dst + rows.first);
    fill_floats<N>(dst + rows.last, rows.pitch - rows.last, fill);
  }
}

}  // namespace npugraph::micro
