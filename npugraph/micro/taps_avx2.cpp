// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/tables.h"
#include "npugraph/micro/taps_loop.h"

namespace npugraph::micro {

void taps_avx2(const Taps& taps) noexcept { taps_loop<8>(taps); }

void plane_rows_avx2(const PlaneRows& rows) noexcept { plane_rows_loop<8>(rows); }

}  // namespace npugraph::micro
