// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/nn/resize_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace npugraph::ops {
namespace {

/// The input coordinate of output element i.
float coordinate(const ResizeAxis& axis, const std::string& mode, int64_t i) {
  const auto x = static_cast<float>(i);
  const auto input = static_cast<float>(axis.input), output = static_cast<float>(axis.output);
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5F) / axis.scale;
  if (mode == "align_corners") return axis.output == 1 ? 0.0F : x * (input - 1) / (output - 1);
  if (mode == "pytorch_half_pixel") return axis.output == 1 ? 0.0F : (x + 0.5F) / axis.scale - 0.5F;
  if (mode == "tf_crop_and_resize") {
    if (axis.output == 1) return 0.5F * (axis.roi_start + axis.roi_end) * (input - 1);
    return axis.roi_start * (input - 1) +
           x * (axis.roi_end - axis.roi_start) * (input - 1) / (output - 1);
  }
  if (mode == "half_pixel_symmetric") {
    // The input is centred on the output that a fractional size was cut to.
    const float adjustment = output / (axis.scale * input);
    return input / 2 * (1 - adjustment) + (x + 0.5F) / axis.scale - 0.5F;
  }
  return (x + 0.5F) / axis.scale - 0.5F;  // half_pixel
}

int64_t nearest(float x, const std::string& mode) {
  const float below = std::floor(x);
  if (mode == "floor") return static_cast<int64_t>(below);
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (mode == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5F));
  // round_prefer_floor: the nearest, halves down.
  return static_cast<int64_t>(x - below <= 0.5F ? below : below + 1);
}

/// Weights of the four neighbours of a point at `t` past the second. Source: Keys, "Cubic
/// Convolution Interpolation for Digital Image Processing", with coefficient a.
std::array<double, 4> cubic_weights(double t, double a) {
  const double u = 1 - t;
  return {((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a,
          ((a + 2) * t - (a + 3)) * t * t + 1, ((a + 2) * u - (a + 3)) * u * u + 1,
          ((a * (u + 1) - 5 * a) * (u + 1) + 8 * a) * (u + 1) - 4 * a};
}

/// Coordinates may be huge, or no number at all, when the region is: keep them where they convert.
float limited(float x, int64_t input) {
  const auto room = static_cast<float>(input) + 4;
  return x >= -room ? std::min(x, 2 * room) : -room;
}

ResizeTap tap_at(float x, const ResizeAxis& axis, const ResizeRule& rule) {
  const int64_t last = axis.input - 1;
  const auto inside = [&](int64_t i) { return std::clamp<int64_t>(i, 0, last); };
  ResizeTap tap;
  tap.is_outside = !(x >= 0 && x <= static_cast<float>(last));
  if (rule.mode == "nearest") {
    tap.indices = {inside(nearest(x, rule.nearest_mode))};
    tap.weights = {1};
    return tap;
  }
  if (rule.mode == "linear") {
    const float place = std::clamp(x, 0.0F, static_cast<float>(last));
    const auto first = static_cast<int64_t>(place);
    const double t = static_cast<double>(place) - static_cast<double>(first);
    tap.indices = {first, inside(first + 1)};
    tap.weights = {1 - t, t};
    return tap;
  }
  const float below = std::floor(x);
  const auto weights =
      cubic_weights(static_cast<double>(x - below), static_cast<double>(rule.cubic_coeff_a));
  double total = 0;
  for (int64_t k = 0; k < 4; ++k) {
    const int64_t i = static_cast<int64_t>(below) - 1 + k;
    const bool excluded = rule.exclude_outside && (i < 0 || i > last);
    tap.indices.push_back(inside(i));
    tap.weights.push_back(excluded ? 0 : weights[static_cast<size_t>(k)]);
    total += tap.weights.back();
  }
  if (rule.exclude_outside && total != 0)
    for (double& weight : tap.weights) weight /= total;
  return tap;
}

}  // namespace

ResizeRule resize_rule(const Attrs& attrs) {
  return {attrs.str("mode"), attrs.str("coordinate_transformation_mode"), attrs.str("nearest_mode"),
          static_cast<float>(attrs.f64("cubic_coeff_a")), attrs.flag("exclude_outside")};
}

std::vector<ResizeTap> resize_taps(const ResizeAxis& axis, const ResizeRule& rule) {
  std::vector<ResizeTap> taps;
  taps.reserve(static_cast<size_t>(axis.output));
  for (int64_t i = 0; i < axis.output; ++i) {
    const float x = coordinate(axis, rule.coordinate_transformation_mode, i);
    taps.push_back(tap_at(limited(x, axis.input), axis, rule));
  }
  return taps;
}

}  // namespace npugraph::ops
