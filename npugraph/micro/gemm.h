// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "npugraph/base/thread_pool.h"
#include "npugraph/micro/micro.h"

namespace npugraph::micro {

/// Where matrix `index` of a batch starts, in elements: table[index], or index * stride.
struct BatchOffset {
  int64_t stride = 0;
  const int64_t* table = nullptr;
  int64_t at(int64_t index) const noexcept {
    return table != nullptr ? table[index] : index * stride;
  }
};

/// How a matrix operand lies in memory.
struct Operand {
  const float* data = nullptr;
  bool packed = false;     // by pack_rows (A) or pack_columns (B)
  int64_t row_stride = 0;  // not packed: element (r, c) is data[r * row_stride + c * col_stride]
  int64_t col_stride = 1;
  const int64_t* row_offsets = nullptr;  // B only: row p starts at data[row_offsets[p]], columns
                                         // are contiguous and readable up to the next whole tile
  BatchOffset batch = {};
};

/// c[b] = act(a[b] a matrix m x k, times b[b], k x n, + biases + residual[b]) for b < batch.
/// Columns of the product may hold gaps (see convolution on padded planes): column j is kept when
/// j % row_pitch < row_keep, and goes to c column j / row_pitch * row_keep + j % row_pitch.
struct Gemm {
  const MicroKernels* kernels = nullptr;
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;  // columns of the product, gaps included
  int64_t k = 0;
  Operand a = {};
  Operand b = {};
  float* c = nullptr;
  int64_t c_stride = 0;
  BatchOffset c_batch = {};
  int64_t row_pitch = 0;  // equal: no gaps
  int64_t row_keep = 0;
  const float* row_bias = nullptr;  // m floats, or null
  BatchOffset row_bias_batch = {};
  const float* col_bias = nullptr;  // n floats, or null (only without gaps)
  const float* residual = nullptr;  // addressed as c, or null
  Activation activation = {};
};

/// Floats that a packed operand takes: tile panels, the last one padded with zeros.
int64_t packed_rows_floats(const MicroKernels& kernels, int64_t m, int64_t k) noexcept;
int64_t packed_columns_floats(const MicroKernels& kernels, int64_t k, int64_t n) noexcept;

/// Panels of tile_m rows of A: tile_m floats for each of the k columns.
void pack_rows(const MicroKernels& kernels, const float* a, int64_t row_stride, int64_t col_stride,
               int64_t m, int64_t k, float* out) noexcept;
/// Panels of tile_n columns of B: tile_n floats for each of the k rows.
void pack_columns(const MicroKernels& kernels, const float* b, int64_t row_stride,
                  int64_t col_stride, int64_t k, int64_t n, float* out) noexcept;

/// Scratch that run_gemm needs for these sizes on this many threads, in floats; a multiple of 16.
int64_t gemm_scratch_floats(const Gemm& gemm, int64_t threads) noexcept;

/// scratch: as gemm_scratch_floats says, 64-byte aligned. The result's bits depend on the sizes and
/// the kernels alone, not on the number of threads nor on where operands were packed.
void run_gemm(const Gemm& gemm, std::span<float> scratch, ThreadPool& pool) noexcept;

}  // namespace npugraph::micro
