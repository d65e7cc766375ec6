// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

/// Activation functions in double: one formula each, shared by the operators of the same name,
/// the recurrent ones and the fused ones.
namespace npugraph::ops {

/// max(x, 0), NaN for NaN.
inline double relu_of(double x) { return x < 0 ? 0.0 : x; }
/// 1 / (1 + exp(-x)), without overflow on either side.
inline double sigmoid_of(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}
/// log(1 + exp(x)), without overflow.
inline double softplus_of(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
inline double leaky_relu_of(double x, double alpha) { return x < 0 ? alpha * x : x; }
/// max(0, min(1, alpha * x + beta)), NaN for NaN.
inline double hard_sigmoid_of(double x, double alpha, double beta) {
  const double y = alpha * x + beta;
  return y < 0 ? 0.0 : y > 1 ? 1.0 : y;
}
/// x * max(0, min(1, x / 6 + 1/2))
inline double hard_swish_of(double x) { return x * hard_sigmoid_of(x, 1.0 / 6, 0.5); }
/// x * sigmoid(alpha * x)
inline double swish_of(double x, double alpha) { return x * sigmoid_of(alpha * x); }
/// x / 2 * (1 + erf(x / sqrt(2)))
inline double gelu_of(double x) { return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5))); }
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
inline double gelu_tanh_of(double x) {
  constexpr double kSqrt2OverPi = 0.79788456080286535588;
  return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)));
}
/// min(max(x, low), high), NaN for NaN; high wins when low > high.
inline double clip_of(double x, double low, double high) {
  const double y = x < low ? low : x;
  return y > high ? high : y;
}

}  // namespace npugraph::ops
