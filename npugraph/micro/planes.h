// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "npugraph/micro/micro.h"

namespace npugraph::micro {

/// A sliding window over one image plane, height and width.
struct Window {
  int64_t in_h = 0, in_w = 0;
  int64_t out_h = 0, out_w = 0;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
};

/// A plane copied with its padding and cut into phases, one for each place modulo the strides that
/// some tap reads, so that what one tap of the window reads for all outputs, row after row, is one
/// run of floats:
///   output (y, x) of tap t reads plane[tap_offset(t) + y * pitch + x].
/// A row has `pitch` >= out_w floats; those from out_w on are junk that must be skipped.
class PlaneLayout {
 public:
  explicit PlaneLayout(const Window& window);

  const Window& window() const noexcept { return window_; }
  int64_t pitch() const noexcept { return pitch_; }
  /// Columns from the first output to the last, gaps between rows included.
  int64_t columns() const noexcept;
  /// Floats from one plane to the next. An odd number of cache lines, so that the same place in
  /// many planes does not fall into one set of a cache.
  int64_t plane_floats() const noexcept { return plane_floats_; }
  /// Floats for `planes` of them, with room for reading a whole tile past the end; a bound that no
  /// memory can hold when that would not fit in 64 bits.
  int64_t floats(int64_t planes) const noexcept;
  int64_t taps() const noexcept { return window_.kernel_h * window_.kernel_w; }
  int64_t tap_offset(int64_t tap) const noexcept;

  /// Copies one in_h x in_w plane; outside of the image stands `fill`.
  void copy(const MicroKernels& kernels, const float* image, float fill,
            float* plane) const noexcept;

 private:
  void copy_phase(const MicroKernels& kernels, const float* image, float fill, int64_t phase_h,
                  int64_t phase_w, float* out) const noexcept;

  Window window_;
  int64_t pitch_ = 0;              // floats of a row of one phase
  int64_t phase_rows_ = 0;         // rows of one phase
  std::vector<int64_t> phases_h_;  // rows modulo stride_h that taps read, ascending
  std::vector<int64_t> phases_w_;
  int64_t plane_floats_ = 0;
};

}  // namespace npugraph::micro
