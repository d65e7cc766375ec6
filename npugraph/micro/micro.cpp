// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/micro.h"

#include "npugraph/micro/tables.h"

namespace npugraph::micro {

namespace {

#define NPU_MICRO_TABLE(level, vector_lanes, rows) \
  {.lanes = vector_lanes,                          \
   .tile_m = rows,                                 \
   .tile_n = 2 * vector_lanes,                     \
   .gemm_tile = gemm_tile_##level,                 \
   .finish_row = finish_row_##level,               \
   .taps = taps_##level,                           \
   .unary = unary_##level,                         \
   .binary = binary_##level,                       \
   .sum = sum_##level,                             \
   .max = max_##level,                             \
   .exp_sum = exp_sum_##level,                     \
   .layer_norm = layer_norm_##level,               \
   .lstm = lstm_##level,                           \
   .exp_sum_fast = exp_sum_fast_##level,           \
   .layer_norm_fast = layer_norm_fast_##level,     \
   .plane_rows = plane_rows_##level}

// Tile heights fill the register file: rows x 2 accumulators, 2 vectors of b and a broadcast in 16
// registers of SSE2 and AVX2, 32 of AVX-512.
constexpr MicroKernels kPortable = NPU_MICRO_TABLE(portable, 4, 4);
constexpr MicroKernels kAvx2 = NPU_MICRO_TABLE(avx2, 8, 6);
constexpr MicroKernels kAvx512 = NPU_MICRO_TABLE(avx512, 16, 12);
#undef NPU_MICRO_TABLE

}  // namespace

const MicroKernels& micro_kernels(Isa isa) noexcept {
  switch (isa) {
    case Isa::kPortable:
      return kPortable;
    case Isa::kAvx2:
      return kAvx2;
    case Isa::kAvx512:
      return kAvx512;
  }
  return kPortable;
}

}  // namespace npugraph::micro
