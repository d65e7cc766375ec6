// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(GroupNormalization, normalises_groups) {
  Node node("GroupNormalization");
  node.attr("num_groups", int64_t{2})
      .attr("epsilon", 0.01)
      .in(of(DType::kF32,
             {1.86, 1.51,  -0.79, -1.49, 1.54,  -0.08, -1.5,  -0.01, -1.01, -0.37, 0.56,
              1.66, 1.2,   -1.36, -0.09, -0.03, 1.96,  -1.65, 0.04,  1.66,  -0.4,  -0.95,
              0.22, -0.72, 1.71,  -1.66, -1.17, -1.66, 0.85,  -0.83, 1.6,   1.57},
             {2, 4, 2, 2}))
      .in(of(DType::kF32, {1.75, -0.98, -2, -0.45}, {4}))
      .in(of(DType::kF32, {1.85, 1.05, -1.76, 0.81}, {4}));
  expect_near(
      node, "float32 2x4x2x2",
      {4.210772,  3.733159,   0.5945606,   -0.360665, -0.02749443, 1.210478, 2.295614,  1.156985,
       0.4611456, -0.8550888, -2.767742,   -5.03002,  0.2871053,   1.471716, 0.8840382, 0.8562739,
       4.741666,  -0.6392177, 1.879811,    4.294501,  1.400577,    1.859667, 0.8830584, 1.667684,
       -4.084176, 0.6377368,  -0.04883206, 0.6377368, 0.5581851,   1.087824, 0.3217392, 0.3311971});
}

TEST(GroupNormalization, checks_its_groups) {
  const auto norm = [](int64_t groups) {
    return Node("GroupNormalization")
        .attr("num_groups", groups)
        .in(type("[n, 4, h]"))
        .in(type("[4]"))
        .in(type("[4]"))
        .inferred();
  };
  EXPECT_EQ(norm(2), "float32[n, 4, h]");
  EXPECT_EQ(norm(3), "BadAttribute");
  EXPECT_EQ(norm(0), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
