// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "npugraph/vnpu/product.h"

// The inner loop of the matrix unit, for vectors of N doubles and tiles of Rows x (Vectors * N).
// Everything is in an unnamed namespace: each instruction set compiles its own copy.
namespace npugraph::vnpu {
namespace {

template <int N>
struct Doubles {
  typedef double Type __attribute__((vector_size(N * sizeof(double))));
};

/// c[i, j] += sum over p, in order, of a[p * Rows + i] * b[p * width + j].
template <int N, int Rows, int Vectors>
void product_tile(int64_t k, const double* a, const double* b, double* c,
                  int64_t c_stride) noexcept {
  using Vec = typename Doubles<N>::Type;
  Vec acc[static_cast<size_t>(Rows)][static_cast<size_t>(Vectors)];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j)
      std::memcpy(&acc[i][j], c + i * c_stride + j * N, sizeof(Vec));
  }
  for (int64_t p = 0; p < k; ++p) {
    Vec row[static_cast<size_t>(Vectors)];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) std::memcpy(&row[j], b + j * N, sizeof(Vec));
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const Vec factor = a[i] - Vec{};
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) acc[i][j] += factor * row[j];
    }
    a += Rows;
    b += Vectors * N;
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j)
      std::memcpy(c + i * c_stride + j * N, &acc[i][j], sizeof(Vec));
  }
}

/// Columns [j * width, (j + 1) * width) of a row of kBlockColumns floats go to panel j.
template <int Width>
void widen_row(const float* row, double* out, int64_t panel_stride) noexcept {
  for (int64_t first = 0; first < kBlockColumns; first += Width) {
#pragma GCC unroll 16
    for (int64_t j = 0; j < Width; ++j) out[j] = static_cast<double>(row[first + j]);
    out += panel_stride;
  }
}

template <int N, int Rows, int Vectors>
constexpr ProductTile kTile = {.rows = Rows,
                               .columns = N * Vectors,
                               .multiply = product_tile<N, Rows, Vectors>,
                               .widen_row = widen_row<N * Vectors>};

}  // namespace
}  // namespace npugraph::vnpu
