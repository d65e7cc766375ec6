// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/ops/near.h"

namespace npugraph::testing {

/// A Resize of one image of 3x4 pixels to 4x9, by scales that are not whole numbers.
inline Node enlarged(const std::string& mode, const std::string& coordinates) {
  Node node("Resize");
  node.attr("mode", mode)
      .attr("coordinate_transformation_mode", coordinates)
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .in(of(DType::kF32, {1, 1, 1.6, 2.3}, {4}));
  return node;
}

/// A Resize of one image of 5x6 pixels to 3x2, by sizes.
inline Node reduced(const std::string& mode, const std::string& coordinates, const Values& image) {
  Node node("Resize");
  node.attr("mode", mode)
      .attr("coordinate_transformation_mode", coordinates)
      .in(of(DType::kF32, image, {1, 1, 5, 6}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 2}, {4}));
  return node;
}

}  // namespace npugraph::testing
