// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/micro/micro.h"
#include "npugraph/micro/vec.h"

// The tile loop of a matrix product, for vectors of N floats, tiles of at most M rows and V
// vectors. Accumulators live in registers only if every loop over them is unrolled.
namespace npugraph::micro {

template <int N, int M, int Rows, int Vectors, bool Offsets>
[[gnu::noinline]] void gemm_tile(const GemmTile& tile) noexcept {
  VecF<N> acc[static_cast<size_t>(Rows)][static_cast<size_t>(Vectors)] = {};
  const float* a = tile.a;
  const float* b = tile.b;
  const int64_t* offsets = tile.b_offsets;
  const int64_t stride = tile.b_stride;
  for (int64_t p = 0; p < tile.k; ++p) {
    const float* row = Offsets ? b + offsets[p] : b;
    VecF<N> values[static_cast<size_t>(Vectors)];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) values[j] = load<N>(row + j * N);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const VecF<N> factor = splat<N>(a[i]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) acc[i][j] += factor * values[j];
    }
    a += M;
    if (!Offsets) b += stride;
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) {
      float* c = tile.c + i * tile.c_stride + j * N;
      const VecF<N> old = tile.accumulate ? load<N>(c) : VecF<N>{};
      store<N>(c, acc[i][j] + old);
    }
  }
}

template <int N, int M, int V, int Rows>
void gemm_rows(int64_t vectors, const GemmTile& tile) noexcept {
  static_assert(V == 2, "a tile is one or two vectors wide");
  if (tile.b_offsets != nullptr) {
    return vectors == 1 ? gemm_tile<N, M, Rows, 1, true>(tile)
                        : gemm_tile<N, M, Rows, 2, true>(tile);
  }
  return vectors == 1 ? gemm_tile<N, M, Rows, 1, false>(tile)
                      : gemm_tile<N, M, Rows, 2, false>(tile);
}

template <int N, int M, int V, int Rows = M>
void gemm_dispatch(int64_t rows, int64_t vectors, const GemmTile& tile) noexcept {
  if (rows == Rows) return gemm_rows<N, M, V, Rows>(vectors, tile);
  if constexpr (Rows > 1) gemm_dispatch<N, M, V, Rows - 1>(rows, vectors, tile);
}

}  // namespace npugraph::micro
