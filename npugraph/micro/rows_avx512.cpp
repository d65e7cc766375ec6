// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/rows.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

float sum_avx512(const float* x, int64_t count) noexcept { return sum<16>(x, count); }

float max_avx512(const float* x, int64_t count) noexcept { return max_of<16>(x, count); }

float exp_sum_avx512(const float* x, float shift, float* y, int64_t count) noexcept {
  return exp_sum<16>(x, shift, y, count);
}

void layer_norm_avx512(const LayerNormRow& row) noexcept { layer_norm<16>(row); }

void lstm_avx512(const LstmRow& row) noexcept { lstm<16>(row); }

}  // namespace npugraph::micro
