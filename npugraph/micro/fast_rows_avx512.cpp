// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/fast_rows.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

float exp_sum_fast_avx512(const float* x, float shift, float* y, int64_t count) noexcept {
  return exp_sum_fast<16>(x, shift, y, count);
}

void layer_norm_fast_avx512(const LayerNormRow& row) noexcept { layer_norm_fast<16>(row); }

}  // namespace npugraph::micro
