// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/micro/rows.h"

// Approximations for vectors of N floats, for kernels marked fast. Errors stated here are checked
// by tests/micro/fast_rows.cpp.
namespace npugraph::micro {

/// y[i] = exp(x[i] - shift) for x[i] <= shift, returns their sum; relative error 8e-5.
template <int N>
float exp_sum_fast(const float* x, float shift, float* y, int64_t count) noexcept {
  VecF<N> acc = {};
  int64_t i = 0;
  for (; i + N <= count; i += N) {
    const VecF<N> e = exp_fast<N>(load<N>(x + i) - shift);
    store<N>(y + i, e);
    acc += e;
  }
  float total = sum_lanes<N>(acc);
  if (i < count) {
    const VecF<N> e = exp_fast<N>(load_part<N>(x + i, count - i, 0.0f) - shift);
    store_part<N>(y + i, count - i, e);
    for (int64_t lane = 0; lane < count - i; ++lane) total += e[lane];
  }
  return total;
}

/// layer_norm() with mean and E[x^2] - mean^2 from one sweep over the row: the variance loses
/// (mean / std)^2 of its relative precision.
template <int N>
void layer_norm_fast(const LayerNormRow& row) noexcept {
  VecF<N> sums[2] = {}, squares[2] = {};
  int64_t i = 0;
  for (; i + 2 * N <= row.count; i += 2 * N) {
#pragma GCC unroll 2
    for (int u = 0; u < 2; ++u) {
      const VecF<N> v = load<N>(row.x + i + u * N);
      sums[u] += v;
      squares[u] += v * v;
    }
  }
  for (; i < row.count; i += N) {
    const VecF<N> v = load_some<N>(row.x + i, row.count - i);
    sums[0] += v;
    squares[0] += v * v;
  }
  const float size = static_cast<float>(row.count);
  const float mean = sum_lanes<N>(sums[0] + sums[1]) / size;
  const float variance = sum_lanes<N>(squares[0] + squares[1]) / size - mean * mean;
  const float inv_std = 1.0f / __builtin_sqrtf((variance < 0 ? 0 : variance) + row.epsilon);
  finish_layer_norm<N>(row, mean, inv_std);
}

}  // namespace npugraph::micro
