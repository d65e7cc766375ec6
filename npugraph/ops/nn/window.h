// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// Sliding windows over spatial axes: how many there are and where they lie, for convolution and
/// pooling of any spatial rank.
namespace npugraph::ops {

/// One spatial axis of a window.
struct WindowAxis {
  Dim kernel = 1;
  int64_t stride = 1, dilation = 1;
  int64_t pad_begin = 0, pad_end = 0;
};

enum class AutoPad : uint8_t { kNotSet, kSameUpper, kSameLower, kValid };
AutoPad auto_pad_of(const Attrs& attrs);

/// The window that the attributes kernel_shape (or `kernel`, which it must then equal), strides,
/// dilations and pads describe, one entry a spatial axis. Lists that are absent stand for ones, and
/// zeros for pads; auto_pad other than NOTSET overrides pads, see place_window().
/// Errors: kBadAttribute (length of a list, kernel_shape missing), kShapeMismatch.
Result<std::vector<WindowAxis>> window_of(const Attrs& attrs, int64_t rank,
                                          const std::vector<Dim>* kernel = nullptr);

/// How many windows fit along an axis of `input` elements:
///   floor((input + pad_begin + pad_end - dilation * (kernel - 1) - 1) / stride) + 1
/// and with ceil_mode the ceiling instead, without windows that would start in the end padding.
/// Source: ONNX Conv-22, MaxPool-22.
Dim window_count(const Dim& input, const WindowAxis& axis, bool ceil_mode = false);

/// The count under auto_pad: ceil(input / stride) for SAME_*, no padding for VALID.
/// Errors: kShapeMismatch when no window fits an axis that is not empty.
Result<Dim> window_output(const Dim& input, const WindowAxis& axis, AutoPad auto_pad,
                          bool ceil_mode = false);

/// Spatial output sizes for a tensor [n, c, spatial…]. Errors: as window_output.
Result<std::vector<Dim>> window_outputs(const Shape& x, const std::vector<WindowAxis>& window,
                                        const Attrs& attrs);

/// A window in numbers, padded to three axes by axes of one element, for loops over any rank.
struct Window3 {
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t pad_begin[3] = {0, 0, 0}, pad_end[3] = {0, 0, 0};
  int64_t in_count() const { return in[0] * in[1] * in[2]; }
  int64_t out_count() const { return out[0] * out[1] * out[2]; }
  int64_t kernel_count() const { return kernel[0] * kernel[1] * kernel[2]; }
};
inline constexpr int64_t kMaxSpatialRank = 3;

/// x and y are dims [n, c, spatial…]; auto_pad becomes numbers.
Window3 place_window(const std::vector<WindowAxis>& window, const Attrs& attrs, const Dims& x,
                     const Dims& y);

/// The attributes that describe a window. kernel_required: of pooling.
std::vector<AttrSchema> window_attrs(bool kernel_required);

}  // namespace npugraph::ops
