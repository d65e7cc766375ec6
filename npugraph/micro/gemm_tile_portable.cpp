// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/gemm_tile.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

void gemm_tile_portable(int64_t rows, int64_t vectors, const GemmTile& tile) noexcept {
  gemm_dispatch<4, 4, 2>(rows, vectors, tile);
}

}  // namespace npugraph::micro
