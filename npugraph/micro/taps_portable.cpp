// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/tables.h"
#include "npugraph/micro/taps_loop.h"

namespace npugraph::micro {

void taps_portable(const Taps& taps) noexcept { taps_loop<4>(taps); }

void plane_rows_portable(const PlaneRows& rows) noexcept { plane_rows_loop<4>(rows); }

}  // namespace npugraph::micro
