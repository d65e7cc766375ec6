// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/micro/math.h"
#include "npugraph/micro/micro.h"

// Loops over one row for vectors of N floats: reductions keep 4 vectors of partial sums, joined at
// the end in a fixed order.
namespace npugraph::micro {

template <int N, class Term>
NPU_INLINE float sum_terms(const float* x, int64_t count, const Term& term) {
  VecF<N> acc[4] = {};
  int64_t i = 0;
  for (; i + 4 * N <= count; i += 4 * N) {
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) acc[u] += term(load<N>(x + i + u * N));
  }
  for (; i + N <= count; i += N) acc[0] += term(load<N>(x + i));
  float total = sum_lanes<N>((acc[0] + acc[1]) + (acc[2] + acc[3]));
  if (i < count) {
    const VecF<N> last = term(load_part<N>(x + i, count - i, 0.0f));
    for (int64_t lane = 0; lane < count - i; ++lane) total += last[lane];
  }
  return total;
}

template <int N>
float sum(const float* x, int64_t count) noexcept {
  return sum_terms<N>(x, count, [](VecF<N> v) __attribute__((always_inline)) { return v; });
}

template <int N>
float max_of(const float* x, int64_t count) noexcept {
  const float lowest = -__builtin_inff();
  VecF<N> best = splat<N>(lowest);
  int64_t i = 0;
  for (; i + N <= count; i += N) best = max_nan<N>(best, load<N>(x + i));
  if (i < count) best = max_nan<N>(best, load_part<N>(x + i, count - i, lowest));
  float result = lowest;
  for (int lane = 0; lane < N; ++lane) {
    const float v = best[lane];
    if (v > result || v != v) result = v;
    if (result != result) return result;
  }
  return result;
}

template <int N>
float exp_sum(const float* x, float shift, float* y, int64_t count) noexcept {
  VecF<N> acc = {};
  int64_t i = 0;
  for (; i + N <= count; i += N) {
    const VecF<N> e = exp<N>(load<N>(x + i) - shift);
    if (y != nullptr) store<N>(y + i, e);
    acc += e;
  }
  float total = sum_lanes<N>(acc);
  if (i < count) {
    const VecF<N> e = exp<N>(load_part<N>(x + i, count - i, 0.0f) - shift);
    if (y != nullptr) store_part<N>(y + i, count - i, e);
    for (int64_t lane = 0; lane < count - i; ++lane) total += e[lane];
  }
  return total;
}

/// y = (x - mean) * factor + shift for one run of a row whose gamma and beta repeat.
template <int N>
void scale_run(const float* x, float* y, int64_t count, float mean, float factor, float shift) {
  int64_t i = 0;
  for (; i + N <= count; i += N) store<N>(y + i, (load<N>(x + i) - mean) * factor + shift);
  if (const int64_t rest = count - i; rest > 0) {
    store_part<N>(y + i, rest, (load_part<N>(x + i, rest, mean) - mean) * factor + shift);
  }
}

/// y = (x - mean) * inv_std * gamma + beta.
template <int N>
NPU_INLINE void finish_layer_norm(const LayerNormRow& row, float mean, float inv_std) {
  if (row.mean != nullptr) *row.mean = mean;
  if (row.inv_std != nullptr) *row.inv_std = inv_std;
  if (row.repeat > 1) {
    for (int64_t run = 0; run * row.repeat < row.count; ++run) {
      const float factor = row.gamma != nullptr ? inv_std * row.gamma[run] : inv_std;
      scale_run<N>(row.x + run * row.repeat, row.y + run * row.repeat, row.repeat, mean, factor,
                   row.beta != nullptr ? row.beta[run] : 0.0f);
    }
    return;
  }
  for (int64_t i = 0; i < row.count; i += N) {
    const int64_t rest = row.count - i;
    const bool whole = rest >= N;
    VecF<N> v = whole ? load<N>(row.x + i) : load_part<N>(row.x + i, rest, mean);
    v = (v - mean) * inv_std;
    if (row.gamma != nullptr) {
      v *= whole ? load<N>(row.gamma + i) : load_part<N>(row.gamma + i, rest, 1.0f);
    }
    if (row.beta != nullptr) {
      v += whole ? load<N>(row.beta + i) : load_part<N>(row.beta + i, rest, 0.0f);
    }
    if (whole) {
      store<N>(row.y + i, v);
    } else {
      store_part<N>(row.y + i, rest, v);
    }
  }
}

/// The mean of term(x); long rows by blocks, whose sums are joined in double precision.
template <int N, class Term>
float mean_of(const float* x, int64_t count, const Term& term) {
  constexpr int64_t kBlock = 4096;
  double total = 0;
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t rest = count - i;
    total += static_cast<double>(sum_terms<N>(x + i, rest < kBlock ? rest : kBlock, term));
  }
  return static_cast<float>(total / static_cast<double>(count));
}

template <int N>
void layer_norm(const LayerNormRow& row) noexcept {
  const float mean =
      row.is_centred
          ? mean_of<N>(row.x, row.count, [](VecF<N> v) __attribute__((always_inline)) { return v; })
          : 0.0f;
  const float variance =
      mean_of<N>(row.x, row.count, [mean](VecF<N> v) __attribute__((always_inline)) {
        const VecF<N> d = v - mean;
        return d * d;
      });
  finish_layer_norm<N>(row, mean, 1.0f / __builtin_sqrtf(variance + row.epsilon));
}

template <int N>
NPU_INLINE VecF<N> load_some(const float* p, int64_t rest) {
  return rest >= N ? load<N>(p) : load_part<N>(p, rest, 0.0f);
}

template <int N>
void lstm(const LstmRow& row) noexcept {
  const int64_t hidden = row.hidden;
  for (int64_t j = 0; j < hidden; j += N) {
    const int64_t rest = hidden - j;
    const float* gates = row.gates + j;
    const VecF<N> old = load_some<N>(row.cell + j, rest);
    VecF<N> input = load_some<N>(gates, rest);
    VecF<N> output = load_some<N>(gates + hidden, rest);
    VecF<N> forget = load_some<N>(gates + 2 * hidden, rest);
    const VecF<N> candidate = tanh<N>(load_some<N>(gates + 3 * hidden, rest));
    if (row.peephole != nullptr) {
      input += old * load_some<N>(row.peephole + j, rest);
      forget += old * load_some<N>(row.peephole + 2 * hidden + j, rest);
    }
    const VecF<N> cell = sigmoid<N>(forget) * old + sigmoid<N>(input) * candidate;
    if (row.peephole != nullptr) output += cell * load_some<N>(row.peephole + hidden + j, rest);
    const VecF<N> h = sigmoid<N>(output) * tanh<N>(cell);
    if (rest >= N) {
      store<N>(row.cell + j, cell);
      store<N>(row.h + j, h);
    } else {
      store_part<N>(row.cell + j, rest, cell);
      store_part<N>(row.h + j, rest, h);
    }
  }
}

}  // namespace npugraph::micro
