// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/micro/vec.h"

// Elementary functions on vectors. Errors in units in the last place (ulp) hold for every float
// and are checked by tests/micro/unary.cpp: exp 1.5, sigmoid 3, tanh 4, erf 3. Special values are
// those of the C library: NaN stays NaN, infinities go to the limits, -0 keeps its sign in odd
// functions, results below the normal range are rounded, not flushed.
namespace npugraph::micro {

inline constexpr float kLog2E = 1.44269504088896341f;
// ln 2 in two parts: the first has 11 significant bits, so that n * kLn2Hi is exact for |n| < 2^13.
inline constexpr float kLn2Hi = 0.693359375f;
inline constexpr float kLn2Lo = -2.12194440e-4f;
// 1.5 * 2^23: adding and subtracting it rounds a float below 2^22 to the nearest integer.
inline constexpr float kRoundMagic = 12582912.0f;

/// n = round(x / ln 2) and r = x - n ln 2, |r| <= 0.347.
template <int N>
struct Reduced {
  VecF<N> n;
  VecF<N> r;
};

template <int N>
NPU_INLINE Reduced<N> reduce_exp(VecF<N> x) {
  const VecF<N> n = (x * kLog2E + kRoundMagic) - kRoundMagic;
  const VecF<N> r = (x - n * kLn2Hi) - n * kLn2Lo;
  return {n, r};
}

/// (e^r - 1 - r) / r^2 by its Taylor series; the first term left out is below 2^-27 for |r| < 0.35.
template <int N>
NPU_INLINE VecF<N> exp_tail(VecF<N> r) {
  VecF<N> p = splat<N>(1.0f / 5040.0f);
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  return p;
}

/// 2^n for an integer n in -126..127.
template <int N>
NPU_INLINE VecF<N> power_of_two(VecI<N> n) {
  return from_bits<N>((reinterpret_cast<VecU<N>>(n) + 127u) << 23);
}

template <int N>
NPU_INLINE VecF<N> exp(VecF<N> x) {
  // Outside these bounds the result is 0 or infinity anyway; NaN passes both comparisons.
  x = x < -104.0f ? splat<N>(-104.0f) : x;
  x = x > 89.0f ? splat<N>(89.0f) : x;
  const Reduced<N> reduced = reduce_exp<N>(x);
  const VecF<N> r = reduced.r;
  const VecF<N> y = (exp_tail<N>(r) * r * r + r) + 1.0f;
  // 2^n in two factors, since n reaches from -150 to 128.
  const VecF<N> number = x == x ? reduced.n : VecF<N>{};
  const VecI<N> n = __builtin_convertvector(number, VecI<N>);
  const VecI<N> half = n >> 1;
  return y * power_of_two<N>(half) * power_of_two<N>(n - half);
}

/// An approximation of e^x, for x in -87..88, clamped outside; relative error 8e-5. NaN stays.
template <int N>
NPU_INLINE VecF<N> exp_fast(VecF<N> x) {
  x = x < -87.0f ? splat<N>(-87.0f) : x;
  x = x > 88.0f ? splat<N>(88.0f) : x;
  const VecF<N> n = (x * kLog2E + kRoundMagic) - kRoundMagic;
  const VecF<N> r = x - n * (kLn2Hi + kLn2Lo);
  // The cubic with the least relative error on |r| <= ln 2 / 2.
  VecF<N> p = splat<N>(0.16566842f);
  p = p * r + 0.50496329f;
  p = p * r + 1.00016419f;
  p = p * r + 0.99992807f;
  const VecF<N> number = x == x ? n : VecF<N>{};
  return p * power_of_two<N>(__builtin_convertvector(number, VecI<N>));
}

template <int N>
NPU_INLINE VecF<N> sigmoid(VecF<N> x) {
  // With e = exp(-|x|): 1 / (1 + e) for x >= 0, e / (1 + e) below; nothing overflows.
  const VecF<N> e = exp<N>(-abs<N>(x));
  return (x < 0.0f ? e : splat<N>(1.0f)) / (1.0f + e);
}

template <int N>
NPU_INLINE VecF<N> tanh(VecF<N> x) {
  // tanh a = q / (q + 2) with q = e^2a - 1 = 2^n (e^r - 1) + (2^n - 1), exact near zero. From 9.1
  // on the result rounds to 1.
  VecF<N> a = abs<N>(x);
  a = a > 9.1f ? splat<N>(9.1f) : a;
  const Reduced<N> reduced = reduce_exp<N>(a + a);
  const VecF<N> r = reduced.r;
  const VecF<N> number = x == x ? reduced.n : VecF<N>{};
  const VecF<N> scale = power_of_two<N>(__builtin_convertvector(number, VecI<N>));
  const VecF<N> q = scale * (exp_tail<N>(r) * r * r + r) + (scale - 1.0f);
  return with_sign<N>(q / (q + 2.0f), x);
}

template <int N>
NPU_INLINE VecF<N> erf(VecF<N> x) {
  const VecF<N> a = abs<N>(x);
  // |x| < 1: x P(x^2), P a weighted minimax fit of erf(sqrt z) / sqrt z, relative error 1.3e-9.
  const VecF<N> z = a * a;
  VecF<N> p = splat<N>(7.853857823647559e-05f);
  p = p * z - 0.0008010192541405559f;
  p = p * z + 0.005188327748328447f;
  p = p * z - 0.026853810995817184f;
  p = p * z + 0.1128358542919159f;
  p = p * z - 0.3761262595653534f;
  p = p * z + 1.1283791065216064f;
  const VecF<N> small = a * p;
  // |x| in 1..4: 1 - exp(-Q(|x|)), Q a fit of -log erfc with a relative error of erf of 3e-11;
  // above 4, erf is 1 to float.
  const VecF<N> c = a > 4.0f ? splat<N>(4.0f) : a;
  VecF<N> q = splat<N>(2.1697756892535836e-05f);
  q = q * c - 0.000441474374383688f;
  q = q * c + 0.004205293487757444f;
  q = q * c - 0.025210363790392876f;
  q = q * c + 0.10842213779687881f;
  q = q * c + 0.633216381072998f;
  q = q * c + 1.1295803785324097f;
  q = q * c - 0.0001884715456981212f;
  const VecF<N> large = 1.0f - exp<N>(-q);
  return with_sign<N>(abs<N>(a < 1.0f ? small : large), x);
}

}  // namespace npugraph::micro
