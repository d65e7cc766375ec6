// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/rows.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

float sum_avx2(const float* x, int64_t count) noexcept { return sum<8>(x, count); }

float max_avx2(const float* x, int64_t count) noexcept { return max_of<8>(x, count); }

float exp_sum_avx2(const float* x, float shift, float* y, int64_t count) noexcept {
  return exp_sum<8>(x, shift, y, count);
}

void layer_norm_avx2(const LayerNormRow& row) noexcept { layer_norm<8>(row); }

void lstm_avx2(const LstmRow& row) noexcept { lstm<8>(row); }

}  // namespace npugraph::micro
