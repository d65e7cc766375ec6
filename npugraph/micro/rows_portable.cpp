// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/rows.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

float sum_portable(const float* x, int64_t count) noexcept { return sum<4>(x, count); }

float max_portable(const float* x, int64_t count) noexcept { return max_of<4>(x, count); }

float exp_sum_portable(const float* x, float shift, float* y, int64_t count) noexcept {
  return exp_sum<4>(x, shift, y, count);
}

void layer_norm_portable(const LayerNormRow& row) noexcept { layer_norm<4>(row); }

void lstm_portable(const LstmRow& row) noexcept { lstm<4>(row); }

}  // namespace npugraph::micro
