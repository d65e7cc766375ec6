// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "npugraph/base/platform.h"
#include "npugraph/micro/activation.h"

namespace npugraph::micro {

/// One tile of a product: c[i, j] (+)= sum over p of a[p * tile_m + i] * b(p)[j].
/// c is written in whole vectors, so its rows have room for `vectors` * lanes floats.
struct GemmTile {
  int64_t k = 0;
  const float* a = nullptr;  // packed panel: tile_m floats for each p
  const float* b = nullptr;  // row p starts at b + b_offsets[p], or at b + p * b_stride
  int64_t b_stride = 0;
  const int64_t* b_offsets = nullptr;
  float* c = nullptr;
  int64_t c_stride = 0;
  bool accumulate = false;
};

/// dst[j] = act(src[j] + bias + col_bias[j] + residual[j]) for j < count; null pointers are left
/// out. dst may be src or residual. The same for further lines: src_stride floats apart in src, one
/// after the other in dst and residual.
struct FinishRow {
  const float* src = nullptr;
  float* dst = nullptr;
  int64_t count = 0;
  int64_t lines = 1;
  int64_t src_stride = 0;
  float bias = 0;
  const float* col_bias = nullptr;
  const float* residual = nullptr;
  Activation activation = {};
};

/// dst[j] = combination over taps t of src[offsets[t] + j] for j < count, by sum with weights or by
/// maximum. src and dst have room for whole blocks of 4 vectors. Maximum: NaN when any tap is NaN.
struct Taps {
  const float* src = nullptr;
  const int64_t* offsets = nullptr;
  const float* weights = nullptr;  // null: maximum
  int64_t taps = 0;
  float* dst = nullptr;
  int64_t count = 0;
};

/// Rows of a padded plane: dst[i] = src[i * step] for i in [first, last), `fill` for the rest of
/// the `pitch` floats of a row. src is where i = 0 would be, in the image or not; only [first,
/// last) is read.
struct PlaneRows {
  const float* src = nullptr;
  int64_t src_stride = 0;  // from one row to the next
  int64_t step = 1;
  float* dst = nullptr;
  int64_t pitch = 0;
  int64_t rows = 0;
  int64_t first = 0;
  int64_t last = 0;
  float fill = 0;
};

/// dst[i] = op(a[i], b[i]); a step of 0 repeats a[0] or b[0]. dst may be a or b.
struct BinaryRow {
  const float* a = nullptr;
  const float* b = nullptr;
  bool a_repeats = false;
  bool b_repeats = false;
  float* dst = nullptr;
  int64_t count = 0;
};

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over one row; gamma, beta may be null.
/// Each of their elements holds for `repeat` neighbours of the row. is_centred off: the mean is
/// taken as 0, the variance as the mean square.
struct LayerNormRow {
  const float* x = nullptr;
  const float* gamma = nullptr;
  const float* beta = nullptr;
  float* y = nullptr;
  int64_t count = 0;
  float epsilon = 0;
  int64_t repeat = 1;  // divides count
  bool is_centred = true;
  float* mean = nullptr;     // written when not null
  float* inv_std = nullptr;  // written when not null
};

/// Gates of one LSTM step, for `hidden` units: gates holds i, o, f, c one after the other.
/// i, o, f = sigmoid, c~ = tanh; cell = f * cell + i * c~; h = o * tanh(cell).
/// peephole: null, or weights i, o, f one after the other.
struct LstmRow {
  const float* gates = nullptr;
  const float* peephole = nullptr;
  float* cell = nullptr;
  float* h = nullptr;
  int64_t hidden = 0;
};

/// The inner loops of one ISA level. Sums are taken in an order that depends only on the sizes, so
/// that equal inputs give equal bits however the work is split among threads.
struct MicroKernels {
  int64_t lanes = 0;   // floats in a vector
  int64_t tile_m = 0;  // rows of a GEMM tile
  int64_t tile_n = 0;  // columns of a GEMM tile, a multiple of lanes
  /// rows 1..tile_m, vectors 1..tile_n / lanes.
  void (*gemm_tile)(int64_t rows, int64_t vectors, const GemmTile& tile) noexcept = nullptr;
  void (*finish_row)(const FinishRow& row) noexcept = nullptr;
  void (*taps)(const Taps& taps) noexcept = nullptr;
  /// y[i] = op(x[i]); y may be x.
  void (*unary)(const Activation& op, const float* x, float* y, int64_t count) noexcept = nullptr;
  void (*binary)(Binary op, const BinaryRow& row) noexcept = nullptr;
  float (*sum)(const float* x, int64_t count) noexcept = nullptr;
  /// NaN when any is NaN; -infinity of nothing.
  float (*max)(const float* x, int64_t count) noexcept = nullptr;
  /// y[i] = exp(x[i] - shift), returns their sum; y may be x, or null when only the sum is wanted.
  float (*exp_sum)(const float* x, float shift, float* y, int64_t count) noexcept = nullptr;
  void (*layer_norm)(const LayerNormRow& row) noexcept = nullptr;
  void (*lstm)(const LstmRow& row) noexcept = nullptr;
  /// Approximations; micro/fast_rows.h states their errors. y may be x.
  float (*exp_sum_fast)(const float* x, float shift, float* y, int64_t count) noexcept = nullptr;
  void (*layer_norm_fast)(const LayerNormRow& row) noexcept = nullptr;
  void (*plane_rows)(const PlaneRows& rows) noexcept = nullptr;
};

/// The table of a level; a level without files of its own uses the next weaker one's.
const MicroKernels& micro_kernels(Isa isa) noexcept;

}  // namespace npugraph::micro
