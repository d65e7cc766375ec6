// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/ops/op_test.h"

namespace npugraph::testing {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
/// Of numbers written with seven digits.
inline constexpr double kTolerance = 2e-6;

/// The output `index` of the node has this type ("float32 2x3") and these elements, to `tolerance`
/// of the larger of 1 and the element.
inline void expect_near(Node& node, std::string_view out_type, const Values& expected,
                        size_t index = 0, double tolerance = kTolerance) {
  const auto out = node.run();
  ASSERT_TRUE(out.has_value()) << out.error().message();
  const Tensor& tensor = (*out)[index];
  EXPECT_EQ(std::string(dtype_name(tensor.dtype())) + " " + dims_str(tensor.dims()), out_type);
  const Values found = values(tensor);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << "element " << i;
      continue;
    }
    if (std::isinf(expected[i])) {
      EXPECT_EQ(found[i], expected[i]) << "element " << i;
      continue;
    }
    EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
        << "element " << i;
  }
}

}  // namespace npugraph::testing
