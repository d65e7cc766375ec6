// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/product.h"

#include <algorithm>

namespace npugraph::vnpu {

Result<std::unique_ptr<Workers>> Workers::create(int64_t threads, Isa isa) {
  std::unique_ptr<Workers> workers(new Workers);
  NPU_LET(workers->pool_, ThreadPool::create(threads));
  workers->tile_ = isa >= Isa::kAvx512 ? &product_tile_avx512()
                   : isa == Isa::kAvx2 ? &product_tile_avx2()
                                       : &product_tile_portable();
  workers->spaces_.resize(static_cast<size_t>(threads));
  for (Space& space : workers->spaces_) {
    space.a.resize(static_cast<size_t>(workers->tile_->rows * kBlockDepth));
    space.b.resize(static_cast<size_t>(kBlockDepth * kBlockColumns));
    space.c.resize(static_cast<size_t>(kBlockRows * kBlockColumns));
    space.row.resize(static_cast<size_t>(kBlockColumns));
  }
  return workers;
}

void Workers::pack_a(const Product& product, int64_t row, int64_t first_k, int64_t depth,
                     double* out) const noexcept {
  const int64_t rows = tile_->rows;
  for (int64_t i = 0; i < rows; ++i) {
    if (row + i >= product.m) {
      for (int64_t p = 0; p < depth; ++p) out[p * rows + i] = 0;
      continue;
    }
    const float* from = product.a + (row + i) * product.k + first_k;
    for (int64_t p = 0; p < depth; ++p) out[p * rows + i] = static_cast<double>(from[p]);
  }
}

void Workers::multiply_block(const Product& product, int64_t first_row, int64_t rows,
                             int64_t first_k, int64_t depth, Space& space) const noexcept {
  for (int64_t i = 0; i < rows; i += tile_->rows) {
    pack_a(product, first_row + i, first_k, depth, space.a.data());
    for (int64_t j = 0; j < kBlockColumns; j += tile_->columns) {
      tile_->multiply(depth, space.a.data(), space.b.data() + j * depth,
                      space.c.data() + i * kBlockColumns + j, kBlockColumns);
    }
  }
}

void Workers::run_block(const Product& product, const Columns& columns, int64_t first_row,
                        int64_t first_column, Space& space) const noexcept {
  const int64_t rows = std::min(kBlockRows, product.m - first_row);
  const int64_t width = std::min(kBlockColumns, product.n - first_column);
  for (int64_t i = 0; i < rows; ++i) {
    const double bias =
        product.bias == nullptr ? 0 : static_cast<double>(product.bias[first_row + i]);
    std::fill_n(space.c.data() + i * kBlockColumns, kBlockColumns, bias);
  }
  std::fill(space.row.begin(), space.row.end(), 0.0f);
  for (int64_t first_k = 0; first_k < product.k; first_k += kBlockDepth) {
    const int64_t depth = std::min(kBlockDepth, product.k - first_k);
    for (int64_t p = 0; p < depth; ++p) {
      columns.read(first_k + p, first_column, width, space.row.data());
      tile_->widen_row(space.row.data(), space.b.data() + p * tile_->columns,
                       depth * tile_->columns);
    }
    multiply_block(product, first_row, rows, first_k, depth, space);
  }
  for (int64_t i = 0; i < rows; ++i) {
    float* to = product.c + (first_row + i) * product.n + first_column;
    const double* from = space.c.data() + i * kBlockColumns;
    for (int64_t j = 0; j < width; ++j) to[j] = static_cast<float>(from[j]);
  }
}

}  // namespace npugraph::vnpu
