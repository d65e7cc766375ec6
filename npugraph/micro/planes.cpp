// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/planes.h"

#include <algorithm>

#include "npugraph/base/checked.h"

namespace npugraph::micro {

namespace {

// What a tile or a block of 4 vectors may read past the last column that matters.
constexpr int64_t kSlackFloats = 64;
constexpr int64_t kLineFloats = 16;
constexpr int64_t kTooMany = int64_t{1} << 56;

// What taps 0, d, 2d, … of a window are modulo its stride.
std::vector<int64_t> phases_of(int64_t kernel, int64_t dilation, int64_t stride) {
  std::vector<int64_t> phases;
  for (int64_t tap = 0; tap < std::min(kernel, stride); ++tap) {
    phases.push_back(tap * dilation % stride);
  }
  std::sort(phases.begin(), phases.end());
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  return phases;
}

int64_t place_of(const std::vector<int64_t>& phases, int64_t phase) {
  return std::lower_bound(phases.begin(), phases.end(), phase) - phases.begin();
}

int64_t saturating_mul(int64_t a, int64_t b) { return checked_mul(a, b).value_or(kTooMany); }

}  // namespace

PlaneLayout::PlaneLayout(const Window& window) : window_(window) {
  const int64_t reach_h = (window.kernel_h - 1) * window.dilation_h / window.stride_h;
  const int64_t reach_w = (window.kernel_w - 1) * window.dilation_w / window.stride_w;
  phases_h_ = phases_of(window.kernel_h, window.dilation_h, window.stride_h);
  phases_w_ = phases_of(window.kernel_w, window.dilation_w, window.stride_w);
  pitch_ = window.out_w + reach_w;
  phase_rows_ = window.out_h + reach_h;
  const auto phases = static_cast<int64_t>(phases_h_.size() * phases_w_.size());
  const int64_t used =
      std::min(kTooMany, saturating_mul(phases, saturating_mul(phase_rows_, pitch_)));
  plane_floats_ = (ceil_div(used, kLineFloats) | 1) * kLineFloats;
}

int64_t PlaneLayout::columns() const noexcept {
  return window_.out_h == 0 ? 0 : (window_.out_h - 1) * pitch_ + window_.out_w;
}

int64_t PlaneLayout::floats(int64_t planes) const noexcept {
  return std::min(kTooMany, saturating_mul(planes, plane_floats_)) + kSlackFloats;
}

int64_t PlaneLayout::tap_offset(int64_t tap) const noexcept {
  const int64_t y = tap / window_.kernel_w * window_.dilation_h;
  const int64_t x = tap % window_.kernel_w * window_.dilation_w;
  const int64_t phase =
      place_of(phases_h_, y % window_.stride_h) * static_cast<int64_t>(phases_w_.size()) +
      place_of(phases_w_, x % window_.stride_w);
  return (phase * phase_rows_ + y / window_.stride_h) * pitch_ + x / window_.stride_w;
}

void PlaneLayout::copy_phase(const MicroKernels& kernels, const float* image, float fill,
                             int64_t phase_h, int64_t phase_w, float* out) const noexcept {
  // Element (r, i) of a phase is padded(r * stride + phase) = image(… - pad). Those inside of the
  // image are one range of each axis.
  struct Range {
    int64_t first, last;
  };
  const auto inside = [](int64_t shift, int64_t stride, int64_t length, int64_t count) {
    const int64_t first = std::clamp<int64_t>(shift >= 0 ? 0 : ceil_div(-shift, stride), 0, count);
    const int64_t room = length - shift;
    return Range{first, std::clamp<int64_t>(room <= 0 ? 0 : ceil_div(room, stride), first, count)};
  };
  const int64_t shift_h = phase_h - window_.pad_top;
  const int64_t shift_w = phase_w - window_.pad_left;
  const Range rows = inside(shift_h, window_.stride_h, window_.in_h, phase_rows_);
  const Range cols = inside(shift_w, window_.stride_w, window_.in_w, pitch_);
  std::fill_n(out, rows.first * pitch_, fill);
  if (rows.last > rows.first) {
    const int64_t row = rows.first * window_.stride_h + shift_h;
    kernels.plane_rows({.src = image + (row * window_.in_w + shift_w),
                        .src_stride = window_.stride_h * window_.in_w,
                        .step = window_.stride_w,
                        .dst = out + rows.first * pitch_,
                        .pitch = pitch_,
                        .rows = rows.last - rows.first,
                        .first = cols.first,
                        .last = cols.last,
                        .fill = fill});
  }
  std::fill_n(out + rows.last * pitch_, (phase_rows_ - rows.last) * pitch_, fill);
}

void PlaneLayout::copy(const MicroKernels& kernels, const float* image, float fill,
                       float* plane) const noexcept {
  for (const int64_t phase_h : phases_h_) {
    for (const int64_t phase_w : phases_w_) {
      copy_phase(kernels, image, fill, phase_h, phase_w, plane);
      plane += phase_rows_ * pitch_;
    }
  }
}

}  // namespace npugraph::micro
