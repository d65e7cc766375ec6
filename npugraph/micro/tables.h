// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/micro/micro.h"

// What the files of each ISA level give to micro.cpp's tables.
namespace npugraph::micro {

#define NPU_MICRO_LEVEL(level)                                                                \
  void gemm_tile_##level(int64_t rows, int64_t vectors, const GemmTile& tile) noexcept;       \
  void finish_row_##level(const FinishRow& row) noexcept;                                     \
  void taps_##level(const Taps& taps) noexcept;                                               \
  void unary_##level(const Activation& op, const float* x, float* y, int64_t count) noexcept; \
  void binary_##level(Binary op, const BinaryRow& row) noexcept;                              \
  float sum_##level(const float* x, int64_t count) noexcept;                                  \
  float max_##level(const float* x, int64_t count) noexcept;                                  \
  float exp_sum_##level(const float* x, float shift, float* y, int64_t count) noexcept;       \
  void layer_norm_##level(const LayerNormRow& row) noexcept;                                  \
  void lstm_##level(const LstmRow& row) noexcept;                                             \
  float exp_sum_fast_##level(const float* x, float shift, float* y, int64_t count) noexcept;  \
  void layer_norm_fast_##level(const LayerNormRow& row) noexcept;                             \
  void plane_rows_##level(const PlaneRows& rows) noexcept;
NPU_MICRO_LEVEL(portable)
NPU_MICRO_LEVEL(avx2)
NPU_MICRO_LEVEL(avx512)
#undef NPU_MICRO_LEVEL

}  // namespace npugraph::micro
