// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/gemm_tile.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

void gemm_tile_avx512(int64_t rows, int64_t vectors, const GemmTile& tile) noexcept {
  gemm_dispatch<16, 12, 2>(rows, vectors, tile);
}

}  // namespace npugraph::micro
