// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "npugraph/base/platform.h"
#include "npugraph/base/result.h"
#include "npugraph/base/thread_pool.h"

namespace npugraph::vnpu {

/// The matrix unit's arithmetic: float32 operands, sums in double in the order of k, rounded once
/// to float32 at the end. A product of two float32 is exact in double, so that the result's bits
/// depend on neither the host's instruction set, nor its fused multiply-add, nor threads.

inline constexpr int64_t kBlockRows = 240;    // a multiple of every tile's rows
inline constexpr int64_t kBlockColumns = 64;  // a multiple of every tile's columns
inline constexpr int64_t kBlockDepth = 256;

/// One tile of one instruction set.
struct ProductTile {
  int64_t rows = 0;
  int64_t columns = 0;
  void (*multiply)(int64_t k, const double* a, const double* b, double* c,
                   int64_t c_stride) noexcept = nullptr;
  void (*widen_row)(const float* row, double* out, int64_t panel_stride) noexcept = nullptr;
};
const ProductTile& product_tile_portable() noexcept;
const ProductTile& product_tile_avx2() noexcept;
const ProductTile& product_tile_avx512() noexcept;

/// The second operand, k x n.
class Columns {
 public:
  virtual ~Columns() = default;
  /// out[j] = b[k, first + j] for j < count <= kBlockColumns.
  virtual void read(int64_t k, int64_t first, int64_t count, float* out) const noexcept = 0;
};

/// c = a . b + bias: c m x n, a m x k, both dense row-major; bias one a row, or null.
struct Product {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  const float* a = nullptr;
  const float* bias = nullptr;
  float* c = nullptr;
};

/// The host threads that compute for one queue, and their working memory. One thread at a time.
class Workers {
 public:
  /// Errors: as ThreadPool::create.
  static Result<std::unique_ptr<Workers>> create(int64_t threads, Isa isa);

  ThreadPool& pool() noexcept { return *pool_; }

  /// Runs `count` products of the same sizes: product(i) is a's, c's and bias's place, columns(i)
  /// the second operand. Allocates nothing.
  template <class GetProduct, class GetColumns>
  void run(int64_t count, const GetProduct& product, const GetColumns& columns) noexcept;

 private:
  struct Space {
    std::vector<double> a, b, c;
    std::vector<float> row;
  };
  Workers() = default;
  void run_block(const Product& product, const Columns& columns, int64_t first_row,
                 int64_t first_column, Space& space) const noexcept;
  void pack_a(const Product& product, int64_t row, int64_t first_k, int64_t depth,
              double* out) const noexcept;
  void multiply_block(const Product& product, int64_t first_row, int64_t rows, int64_t first_k,
                      int64_t depth, Space& space) const noexcept;

  std::unique_ptr<ThreadPool> pool_;
  const ProductTile* tile_ = nullptr;
  std::vector<Space> spaces_;  // one a thread
};

}  // namespace npugraph::vnpu

#include "npugraph/vnpu/product_run.h"
