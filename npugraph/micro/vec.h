// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Vectors of N floats on the compiler's vector types: 4 in portable files, 8 in AVX2 files, 16 in
// AVX-512 files. Every template over N is used in files of one ISA level only, so that no linker
// can pick a body compiled for a stronger machine; for the same reason nothing here calls inline
// functions of the standard library.
namespace npugraph::micro {

template <int N>
struct VecTypes {
  typedef float F __attribute__((vector_size(N * 4)));
  typedef int32_t I __attribute__((vector_size(N * 4)));
  typedef uint32_t U __attribute__((vector_size(N * 4)));
};
template <int N>
using VecF = typename VecTypes<N>::F;
template <int N>
using VecI = typename VecTypes<N>::I;
template <int N>
using VecU = typename VecTypes<N>::U;

#define NPU_INLINE [[gnu::always_inline]] inline

template <int N>
NPU_INLINE VecF<N> load(const float* p) {
  VecF<N> v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

template <int N>
NPU_INLINE void store(float* p, VecF<N> v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

/// The first `count` (0..N) lanes; the others are `fill`. Reads nothing else.
template <int N>
NPU_INLINE VecF<N> load_part(const float* p, int64_t count, float fill) {
#if defined(__AVX512F__)
  if constexpr (N == 16) {
    const auto mask = static_cast<__mmask16>((1u << count) - 1u);
    return _mm512_mask_loadu_ps(fill - VecF<16>{}, mask, p);
  }
#endif
  float lanes[static_cast<size_t>(N)];
  for (int i = 0; i < N; ++i) lanes[i] = fill;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) __builtin_memcpy(lanes + i, p + i, 16);
  for (; i < count; ++i) lanes[i] = p[i];
  return load<N>(lanes);
}

/// Writes the first `count` (0..N) lanes and nothing else.
template <int N>
NPU_INLINE void store_part(float* p, int64_t count, VecF<N> v) {
#if defined(__AVX512F__)
  if constexpr (N == 16) {
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << count) - 1u), v);
    return;
  }
#endif
  float lanes[static_cast<size_t>(N)];
  store<N>(lanes, v);
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) __builtin_memcpy(p + i, lanes + i, 16);
  for (; i < count; ++i) p[i] = lanes[i];
}

/// x - 0 keeps every x, -0 and NaN included, where 0 + x would lose -0.
template <int N>
NPU_INLINE VecF<N> splat(float x) {
  return x - VecF<N>{};
}

template <int N>
NPU_INLINE VecU<N> bits(VecF<N> v) {
  return reinterpret_cast<VecU<N>>(v);
}

template <int N>
NPU_INLINE VecF<N> from_bits(VecU<N> v) {
  return reinterpret_cast<VecF<N>>(v);
}

template <int N>
NPU_INLINE VecF<N> abs(VecF<N> v) {
  return from_bits<N>(bits<N>(v) & 0x7fffffffu);
}

/// |magnitude| with the sign of `sign`; magnitude must not be negative.
template <int N>
NPU_INLINE VecF<N> with_sign(VecF<N> magnitude, VecF<N> sign) {
  return from_bits<N>(bits<N>(magnitude) | (bits<N>(sign) & 0x80000000u));
}

/// a if a > b, else b. A NaN in b stays, one in a gives b.
template <int N>
NPU_INLINE VecF<N> max(VecF<N> a, VecF<N> b) {
  return a > b ? a : b;
}

template <int N>
NPU_INLINE VecF<N> min(VecF<N> a, VecF<N> b) {
  return a < b ? a : b;
}

/// The greater one, NaN when either is NaN.
template <int N>
NPU_INLINE VecF<N> max_nan(VecF<N> a, VecF<N> b) {
  const VecF<N> greater = a > b ? a : b;  // b when a is NaN
  return a == a ? greater : a;
}

template <int N>
NPU_INLINE VecF<N> min_nan(VecF<N> a, VecF<N> b) {
  const VecF<N> less = a < b ? a : b;
  return a == a ? less : a;
}

/// Lanes added pairwise, in a fixed order.
template <int N>
NPU_INLINE float sum_lanes(VecF<N> v) {
  float lanes[static_cast<size_t>(N)];
  store<N>(lanes, v);
  for (int half = N / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

}  // namespace npugraph::micro
