// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/gemm.h"

#include <algorithm>
#include <cstring>

#include "npugraph/base/checked.h"
#include "npugraph/micro/parallel.h"
#include "npugraph/micro/transpose.h"

namespace npugraph::micro {

namespace {

// A depth block of A, tile_m x 256 floats, stays in the first-level cache while the tile moves over
// the columns.
constexpr int64_t kDepthBlock = 256;
// The columns of B that one task works on, k deep, should fill about half of a second-level cache.
constexpr int64_t kColumnBlockFloats = 96 * 1024;
constexpr int64_t kMaxColumnBlock = 256;
constexpr int64_t kFloatAlign = 16;

// How the product is cut into tasks, and where each slot's scratch lies.
struct Split {
  int64_t block_n = 0;  // columns of a task, a multiple of tile_n
  int64_t blocks_n = 0;
  int64_t block_m = 0;  // rows of a task, a multiple of tile_m
  int64_t blocks_m = 0;
  int64_t tasks = 0;
  bool pack_b = false;     // copy the task's part of B into panels
  bool tail_only = false;  // B is read in place; only a last partial panel is copied
  int64_t strip_floats = 0;
  int64_t a_floats = 0;
  int64_t b_floats = 0;
  int64_t slot_floats() const { return strip_floats + a_floats + b_floats; }
};

Split split_of(const Gemm& gemm, int64_t threads) {
  const int64_t tile_m = gemm.kernels->tile_m;
  const int64_t tile_n = gemm.kernels->tile_n;
  Split split;
  const int64_t fit = kColumnBlockFloats / std::max<int64_t>(gemm.k, 1) / tile_n * tile_n;
  const int64_t most = std::min(kMaxColumnBlock, round_up(gemm.n, tile_n));
  split.block_n = std::clamp(fit, std::min(2 * tile_n, most), most);
  split.blocks_n = ceil_div(gemm.n, split.block_n);
  split.block_m = round_up(gemm.m, tile_m);
  split.blocks_m = 1;
  // Enough tasks that a thread which loses its core for a while does not hold up the others.
  const int64_t wanted = threads == 1 ? 1 : 4 * threads;
  const int64_t columns = split.blocks_n * gemm.batch;
  if (columns < wanted) {
    const int64_t panels = ceil_div(gemm.m, tile_m);
    const int64_t parts = std::min(ceil_div(wanted, columns), panels);
    split.block_m = ceil_div(panels, parts) * tile_m;
    split.blocks_m = ceil_div(gemm.m, split.block_m);
  }
  split.tasks = columns * split.blocks_m;

  const bool loose_b = !gemm.b.packed && gemm.b.row_offsets == nullptr;
  // A panel that is used for one tile row only is not worth copying.
  split.tail_only = loose_b && gemm.m <= tile_m && gemm.b.col_stride == 1;
  split.pack_b = loose_b && !split.tail_only;
  split.strip_floats = tile_m * split.block_n;
  split.a_floats = gemm.a.packed ? 0 : round_up(tile_m * gemm.k, kFloatAlign);
  if (split.pack_b) split.b_floats = gemm.k * split.block_n;
  if (split.tail_only) split.b_floats = gemm.k * tile_n;
  return split;
}

// One panel: out[p * tile + i] = data[i * item_stride + p * depth_stride], zero for i >= items.
void pack_panel(const float* data, int64_t item_stride, int64_t depth_stride, int64_t items,
                int64_t k, int64_t tile, float* out) {
  for (int64_t p = 0; p < k && items < tile; ++p) {
    std::memset(out + p * tile + items, 0, static_cast<size_t>(tile - items) * sizeof(float));
  }
  if (item_stride == 1) {
    for (int64_t p = 0; p < k; ++p) {
      std::memcpy(out + p * tile, data + p * depth_stride,
                  static_cast<size_t>(items) * sizeof(float));
    }
    return;
  }
  int64_t i = 0;
  const int64_t whole_k = depth_stride == 1 ? k / 4 * 4 : 0;
  for (; i + 4 <= items; i += 4) {
    const float* lines = data + i * item_stride;
    for (int64_t p = 0; p < whole_k; p += 4) {
      transpose_4x4(lines + p, item_stride, out + p * tile + i, tile);
    }
    for (int64_t p = whole_k; p < k; ++p) {
      for (int64_t r = 0; r < 4; ++r)
        out[p * tile + i + r] = lines[r * item_stride + p * depth_stride];
    }
  }
  for (; i < items; ++i) {
    const float* line = data + i * item_stride;
    for (int64_t p = 0; p < k; ++p) out[p * tile + i] = line[p * depth_stride];
  }
}

// Column panel `index` of B as a tile sees it.
struct PanelView {
  const float* data;
  int64_t stride;
  const int64_t* offsets;
};

// One task: rows [row0, row1) and columns [col0, col1) of matrix `matrix`.
class Task {
 public:
  Task(const Gemm& gemm, const Split& split, int64_t task, float* scratch)
      : gemm_(gemm), kernels_(*gemm.kernels), split_(split) {
    const int64_t block_m = task % split.blocks_m;
    const int64_t rest = task / split.blocks_m;
    matrix_ = rest / split.blocks_n;
    col0_ = rest % split.blocks_n * split.block_n;
    col1_ = std::min(gemm.n, col0_ + split.block_n);
    row0_ = block_m * split.block_m;
    row1_ = std::min(gemm.m, row0_ + split.block_m);
    strip_ = scratch;
    packed_a_ = strip_ + split.strip_floats;
    packed_b_ = packed_a_ + split.a_floats;
  }

  void run() const {
    const float* b = gemm_.b.data + gemm_.b.batch.at(matrix_);
    const int64_t tile_n = kernels_.tile_n;
    if (split_.pack_b) {
      pack_columns(kernels_, b + col0_ * gemm_.b.col_stride, gemm_.b.row_stride, gemm_.b.col_stride,
                   gemm_.k, col1_ - col0_, packed_b_);
    } else if (const int64_t tail = (col1_ - col0_) % tile_n; split_.tail_only && tail != 0) {
      pack_panel(b + (col1_ - tail), 1, gemm_.b.row_stride, tail, gemm_.k, tile_n, packed_b_);
    }
    for (int64_t row = row0_; row < row1_; row += kernels_.tile_m) {
      const int64_t rows = std::min(kernels_.tile_m, row1_ - row);
      fill_strip(row, rows, b);
      finish(row, rows);
    }
  }

 private:
  PanelView panel(int64_t col, const float* b) const {
    const int64_t tile_n = kernels_.tile_n;
    const int64_t panel_floats = gemm_.k * tile_n;
    if (gemm_.b.row_offsets != nullptr) return {b + col, 0, gemm_.b.row_offsets};
    if (gemm_.b.packed) return {b + col / tile_n * panel_floats, tile_n, nullptr};
    if (split_.pack_b) return {packed_b_ + (col - col0_) / tile_n * panel_floats, tile_n, nullptr};
    if (col + tile_n > col1_) return {packed_b_, tile_n, nullptr};
    return {b + col, gemm_.b.row_stride, nullptr};
  }

  void fill_strip(int64_t row, int64_t rows, const float* b) const {
    const int64_t tile_m = kernels_.tile_m;
    const int64_t tile_n = kernels_.tile_n;
    const float* a = gemm_.a.data + gemm_.a.batch.at(matrix_);
    if (gemm_.a.packed) {
      a += row * gemm_.k;
    } else {
      pack_panel(a + row * gemm_.a.row_stride, gemm_.a.row_stride, gemm_.a.col_stride, rows,
                 gemm_.k, tile_m, packed_a_);
      a = packed_a_;
    }
    // A product of depth zero is one block, so that the strip is written.
    for (int64_t p = 0; p < std::max<int64_t>(gemm_.k, 1); p += kDepthBlock) {
      const int64_t depth = std::min(kDepthBlock, gemm_.k - p);
      for (int64_t col = col0_; col < col1_; col += tile_n) {
        const PanelView view = panel(col, b);
        const int64_t vectors = ceil_div(std::min(tile_n, col1_ - col), kernels_.lanes);
        kernels_.gemm_tile(rows, vectors,
                           {.k = depth,
                            .a = a + p * tile_m,
                            .b = view.data + p * view.stride,
                            .b_stride = view.stride,
                            .b_offsets = view.offsets == nullptr ? nullptr : view.offsets + p,
                            .c = strip_ + (col - col0_),
                            .c_stride = split_.block_n,
                            .accumulate = p != 0});
      }
    }
  }

  /// Strip to output: biases, residual, activation, gaps left out.
  void finish(int64_t row, int64_t rows) const {
    const float* row_bias = nullptr;
    if (gemm_.row_bias != nullptr) row_bias = gemm_.row_bias + gemm_.row_bias_batch.at(matrix_);
    for (int64_t i = 0; i < rows; ++i) {
      finish_row(strip_ + i * split_.block_n,
                 gemm_.c_batch.at(matrix_) + (row + i) * gemm_.c_stride,
                 row_bias == nullptr ? 0.0f : row_bias[row + i]);
    }
  }

  void finish_row(const float* src, int64_t c_row, float bias) const {
    if (gemm_.row_pitch == gemm_.row_keep) {
      return finish_lines(src, c_row + col0_, col1_ - col0_, 1, bias);
    }
    const int64_t pitch = gemm_.row_pitch;
    const int64_t keep = gemm_.row_keep;
    int64_t at = c_row + col0_ / pitch * keep;
    int64_t col = col0_;
    if (const int64_t begun = col % pitch; begun != 0) {  // what the task before left of a line
      const int64_t kept = std::min(keep - begun, col1_ - col);
      if (kept > 0) finish_lines(src, at + begun, kept, 1, bias);
      col += pitch - begun;
      at += keep;
    }
    if (col >= col1_) return;
    const int64_t lines = (col1_ - col) / pitch;
    finish_lines(src + (col - col0_), at, keep, lines, bias);
    col += lines * pitch;
    at += lines * keep;
    if (col < col1_) finish_lines(src + (col - col0_), at, std::min(keep, col1_ - col), 1, bias);
  }

  void finish_lines(const float* src, int64_t at, int64_t count, int64_t lines, float bias) const {
    kernels_.finish_row({.src = src,
                         .dst = gemm_.c + at,
                         .count = count,
                         .lines = lines,
                         .src_stride = gemm_.row_pitch,
                         .bias = bias,
                         .col_bias = gemm_.col_bias == nullptr ? nullptr : gemm_.col_bias + col0_,
                         .residual = gemm_.residual == nullptr ? nullptr : gemm_.residual + at,
                         .activation = gemm_.activation});
  }

  const Gemm& gemm_;
  const MicroKernels& kernels_;
  const Split& split_;
  int64_t matrix_ = 0;
  int64_t row0_ = 0;
  int64_t row1_ = 0;
  int64_t col0_ = 0;
  int64_t col1_ = 0;
  float* strip_ = nullptr;
  float* packed_a_ = nullptr;
  float* packed_b_ = nullptr;
};

}  // namespace

int64_t packed_rows_floats(const MicroKernels& kernels, int64_t m, int64_t k) noexcept {
  return round_up(m, kernels.tile_m) * k;
}

int64_t packed_columns_floats(const MicroKernels& kernels, int64_t k, int64_t n) noexcept {
  return round_up(n, kernels.tile_n) * k;
}

void pack_rows(const MicroKernels& kernels, const float* a, int64_t row_stride, int64_t col_stride,
               int64_t m, int64_t k, float* out) noexcept {
  for (int64_t row = 0; row < m; row += kernels.tile_m) {
    pack_panel(a + row * row_stride, row_stride, col_stride, std::min(kernels.tile_m, m - row), k,
               kernels.tile_m, out + row * k);
  }
}

void pack_columns(const MicroKernels& kernels, const float* b, int64_t row_stride,
                  int64_t col_stride, int64_t k, int64_t n, float* out) noexcept {
  for (int64_t col = 0; col < n; col += kernels.tile_n) {
    pack_panel(b + col * col_stride, col_stride, row_stride, std::min(kernels.tile_n, n - col), k,
               kernels.tile_n, out + col * k);
  }
}

int64_t gemm_scratch_floats(const Gemm& gemm, int64_t threads) noexcept {
  if (gemm.m <= 0 || gemm.n <= 0 || gemm.batch <= 0) return 0;
  const Split split = split_of(gemm, threads);
  return round_up(split.slot_floats(), kFloatAlign) * std::min(threads, split.tasks);
}

void run_gemm(const Gemm& gemm, std::span<float> scratch, ThreadPool& pool) noexcept {
  if (gemm.m <= 0 || gemm.n <= 0 || gemm.batch <= 0) return;
  const Split split = split_of(gemm, pool.thread_count());
  const int64_t slot_floats = round_up(split.slot_floats(), kFloatAlign);
  const double flops = 2.0 * static_cast<double>(gemm.batch) * static_cast<double>(gemm.m) *
                       static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
  const int64_t room = static_cast<int64_t>(scratch.size()) / std::max<int64_t>(slot_floats, 1);
  const int64_t slots = std::min(slot_count(pool, split.tasks, flops), room);
  for_each_task(pool, split.tasks, slots, [&](int64_t task, int64_t slot) {
    Task(gemm, split, task, scratch.data() + slot * slot_floats).run();
  });
}

}  // namespace npugraph::micro
