// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/tables.h"
#include "npugraph/micro/taps_loop.h"

namespace npugraph::micro {

void taps_avx512(const Taps& taps) noexcept { taps_loop<16>(taps); }

void plane_rows_avx512(const PlaneRows& rows) noexcept { plane_rows_loop<16>(rows); }

}  // namespace npugraph::micro
