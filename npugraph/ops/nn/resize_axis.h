// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npugraph/ops/op.h"

/// How Resize reads one axis. Coordinates are computed in single precision, as the runtimes that
/// models are tested with do: which element is "nearest" hangs on the last bit.
namespace npugraph::ops {

struct ResizeAxis {
  int64_t input = 1, output = 1;  // elements
  float scale = 1;                // output / input, or as given
  float roi_start = 0, roi_end = 1;
};

struct ResizeRule {
  std::string mode, coordinate_transformation_mode, nearest_mode;
  float cubic_coeff_a = -0.75F;
  bool exclude_outside = false;
};
ResizeRule resize_rule(const Attrs& attrs);

/// One output element of one axis: y = sum of weights[k] * x[indices[k]]. is_outside: the
/// coordinate lies outside of the input, where tf_crop_and_resize puts a constant.
struct ResizeTap {
  std::vector<int64_t> indices;
  std::vector<double> weights;
  bool is_outside = false;
};

/// The taps of all output elements of one axis, whose input is not empty. Source: ONNX Resize-19.
std::vector<ResizeTap> resize_taps(const ResizeAxis& axis, const ResizeRule& rule);

}  // namespace npugraph::ops
