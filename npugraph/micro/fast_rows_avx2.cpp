// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/fast_rows.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

float exp_sum_fast_avx2(const float* x, float shift, float* y, int64_t count) noexcept {
  return exp_sum_fast<8>(x, shift, y, count);
}

void layer_norm_fast_avx2(const LayerNormRow& row) noexcept { layer_norm_fast<8>(row); }

}  // namespace npugraph::micro
