// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/micro/math.h"
#include "npugraph/micro/micro.h"

// Element-wise loops for vectors of N floats. The last, partial vector goes through the same
// arithmetic as the others, so an element's bits do not depend on where a range was cut.
namespace npugraph::micro {

template <int N>
NPU_INLINE VecF<N> sqrt(VecF<N> x) {
  if constexpr (N == 4) return _mm_sqrt_ps(x);
  if constexpr (N == 8) return _mm256_sqrt_ps(x);
  if constexpr (N == 16) return _mm512_maskz_sqrt_ps(0xffff, x);
}

template <int N>
NPU_INLINE VecF<N> clamp01(VecF<N> x) {
  x = x > 1.0f ? splat<N>(1.0f) : x;
  return x < 0.0f ? VecF<N>{} : x;
}

/// e^x - 1 without cancellation near zero.
template <int N>
NPU_INLINE VecF<N> expm1_negative(VecF<N> x) {
  x = x < -30.0f ? splat<N>(-30.0f) : x;
  const Reduced<N> reduced = reduce_exp<N>(x);
  const VecF<N> r = reduced.r;
  const VecF<N> number = x == x ? reduced.n : VecF<N>{};
  const VecF<N> scale = power_of_two<N>(__builtin_convertvector(number, VecI<N>));
  return scale * (exp_tail<N>(r) * r * r + r) + (scale - 1.0f);
}

/// x tanh(ln(1 + e)) with e = e^x, as x w / (w + 2) with w = e (e + 2); from 20 on that is x.
template <int N>
NPU_INLINE VecF<N> mish(VecF<N> x) {
  const VecF<N> e = exp<N>(x > 20.0f ? splat<N>(20.0f) : x);
  const VecF<N> w = e * (e + 2.0f);
  return x * (w / (w + 2.0f));
}

template <int N, Unary Op>
NPU_INLINE VecF<N> apply(VecF<N> x, float alpha, float beta) {
  constexpr float kSqrtHalf = 0.70710678118654752f;
  constexpr float kSqrtTwoOverPi = 0.79788456080286536f;
  if constexpr (Op == Unary::kCopy) return x;
  if constexpr (Op == Unary::kRelu) return x < 0.0f ? VecF<N>{} : x;
  if constexpr (Op == Unary::kClip) {
    x = x < alpha ? splat<N>(alpha) : x;
    return x > beta ? splat<N>(beta) : x;
  }
  if constexpr (Op == Unary::kLeakyRelu) return x < 0.0f ? x * alpha : x;
  if constexpr (Op == Unary::kHardSigmoid) return clamp01<N>(x * alpha + beta);
  if constexpr (Op == Unary::kHardSwish) return x * clamp01<N>(x * (1.0f / 6.0f) + 0.5f);
  if constexpr (Op == Unary::kSigmoid) return sigmoid<N>(x);
  if constexpr (Op == Unary::kSilu) return x * sigmoid<N>(x);
  if constexpr (Op == Unary::kTanh) return tanh<N>(x);
  if constexpr (Op == Unary::kGelu) return 0.5f * x * (1.0f + erf<N>(x * kSqrtHalf));
  if constexpr (Op == Unary::kGeluTanh) {
    return 0.5f * x * (1.0f + tanh<N>(kSqrtTwoOverPi * (x + 0.044715f * x * x * x)));
  }
  if constexpr (Op == Unary::kGeluFast) {
    return x / (1.0f + exp_fast<N>(x * -2.0f * kSqrtTwoOverPi * (1.0f + 0.044715f * x * x)));
  }
  if constexpr (Op == Unary::kErf) return erf<N>(x);
  if constexpr (Op == Unary::kExp) return exp<N>(x);
  if constexpr (Op == Unary::kSqrt) return sqrt<N>(x);
  if constexpr (Op == Unary::kReciprocal) return 1.0f / x;
  if constexpr (Op == Unary::kAbs) return abs<N>(x);
  if constexpr (Op == Unary::kNeg) return -x;
  if constexpr (Op == Unary::kSquare) return x * x;
  if constexpr (Op == Unary::kElu) return x < 0.0f ? alpha * expm1_negative<N>(x) : x;
  if constexpr (Op == Unary::kSwish) return x * sigmoid<N>(x * alpha);
  if constexpr (Op == Unary::kMish) return mish<N>(x);
}

template <int N, Unary Op>
void unary_loop(const Activation& op, const float* x, float* y, int64_t count) noexcept {
  const float alpha = op.alpha;
  const float beta = op.beta;
  int64_t i = 0;
  for (; i + N <= count; i += N) store<N>(y + i, apply<N, Op>(load<N>(x + i), alpha, beta));
  if (i < count) {
    const VecF<N> last = load_part<N>(x + i, count - i, 0.0f);
    store_part<N>(y + i, count - i, apply<N, Op>(last, alpha, beta));
  }
}

template <int N, Unary Op, bool Columns, bool Residual>
void finish_loop(const FinishRow& row) noexcept {
  const float alpha = row.activation.alpha;
  const float beta = row.activation.beta;
  const VecF<N> bias = splat<N>(row.bias);
  const float* src = row.src;
  float* dst = row.dst;
  const float* residual = row.residual;
  for (int64_t line = 0; line < row.lines; ++line) {
    int64_t j = 0;
    for (; j + N <= row.count; j += N) {
      VecF<N> v = load<N>(src + j) + bias;
      if constexpr (Columns) v += load<N>(row.col_bias + j);
      if constexpr (Residual) v += load<N>(residual + j);
      store<N>(dst + j, apply<N, Op>(v, alpha, beta));
    }
    if (const int64_t rest = row.count - j; rest > 0) {
      VecF<N> v = load_part<N>(src + j, rest, 0.0f) + bias;
      if constexpr (Columns) v += load_part<N>(row.col_bias + j, rest, 0.0f);
      if constexpr (Residual) v += load_part<N>(residual + j, rest, 0.0f);
      store_part<N>(dst + j, rest, apply<N, Op>(v, alpha, beta));
    }
    src += row.src_stride;
    dst += row.count;
    if constexpr (Residual) residual += row.count;
  }
}

template <int N, Unary Op>
void finish_op(const FinishRow& row) noexcept {
  if (row.col_bias != nullptr) {
    return row.residual != nullptr ? finish_loop<N, Op, true, true>(row)
                                   : finish_loop<N, Op, true, false>(row);
  }
  return row.residual != nullptr ? finish_loop<N, Op, false, true>(row)
                                 : finish_loop<N, Op, false, false>(row);
}

/// Calls visitor.run<Op>() for the run-time value `op`.
template <class Visitor, int Op = 0>
NPU_INLINE void visit_unary(Unary op, const Visitor& visitor) {
  if (static_cast<int>(op) == Op) return visitor.template run<static_cast<Unary>(Op)>();
  if constexpr (Op + 1 < static_cast<int>(Unary::kCount)) visit_unary<Visitor, Op + 1>(op, visitor);
}

template <int N>
struct UnaryVisitor {
  const Activation& op;
  const float* x;
  float* y;
  int64_t count;
  template <Unary Op>
  void run() const {
    unary_loop<N, Op>(op, x, y, count);
  }
};

template <int N>
struct FinishVisitor {
  const FinishRow& row;
  template <Unary Op>
  void run() const {
    finish_op<N, Op>(row);
  }
};

template <int N, Binary Op>
NPU_INLINE VecF<N> combine(VecF<N> a, VecF<N> b) {
  if constexpr (Op == Binary::kAdd) return a + b;
  if constexpr (Op == Binary::kSub) return a - b;
  if constexpr (Op == Binary::kMul) return a * b;
  if constexpr (Op == Binary::kDiv) return a / b;
  if constexpr (Op == Binary::kMax) return max_nan<N>(a, b);
  if constexpr (Op == Binary::kMin) return min_nan<N>(a, b);
}

template <int N, Binary Op, bool ARepeats, bool BRepeats>
void binary_loop(const BinaryRow& row) noexcept {
  if (row.count <= 0) return;
  const VecF<N> one_a = splat<N>(row.a[0]);
  const VecF<N> one_b = splat<N>(row.b[0]);
  int64_t i = 0;
  for (; i + N <= row.count; i += N) {
    const VecF<N> a = ARepeats ? one_a : load<N>(row.a + i);
    const VecF<N> b = BRepeats ? one_b : load<N>(row.b + i);
    store<N>(row.dst + i, combine<N, Op>(a, b));
  }
  if (const int64_t rest = row.count - i; rest > 0) {
    const VecF<N> a = ARepeats ? one_a : load_part<N>(row.a + i, rest, 1.0f);
    const VecF<N> b = BRepeats ? one_b : load_part<N>(row.b + i, rest, 1.0f);
    store_part<N>(row.dst + i, rest, combine<N, Op>(a, b));
  }
}

template <int N, int Op = 0>
void binary_dispatch(Binary op, const BinaryRow& row) noexcept {
  constexpr Binary kOp = static_cast<Binary>(Op);
  if (op == kOp) {
    if (row.a_repeats && row.b_repeats) return binary_loop<N, kOp, true, true>(row);
    if (row.a_repeats) return binary_loop<N, kOp, true, false>(row);
    if (row.b_repeats) return binary_loop<N, kOp, false, true>(row);
    return binary_loop<N, kOp, false, false>(row);
  }
  if constexpr (Op + 1 < static_cast<int>(Binary::kCount)) binary_dispatch<N, Op + 1>(op, row);
}

}  // namespace npugraph::micro
