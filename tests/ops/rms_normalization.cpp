// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(RMSNormalization, normalises_the_last_axis) {
  Node node("RMSNormalization");
  node.in(of(DType::kF32,
             {-1.41, -0.24, -0.83, 1.35, 1.39, -0.62, 0.48, 1.61, -0.56, 0.22,  -0.23, 0.6,
              1.84,  -1.45, 1.86,  0.66, 1.18, 0.54,  1.48, -0.7, 0.83,  -0.94, 0.03,  0.73},
             {2, 3, 4}))
      .in(of(DType::kF32, {-1.2, -1.76, 1.16, 1.24}, {4}));
  expect_near(
      node, "float32 2x3x4",
      {1.5852,    0.395738,   -0.9020277, 1.568337,   -1.471584, 0.9627053, 0.4912337,  1.761313,
       1.52674,   -0.8796933, -0.6061523, 1.69032,    -1.441618, 1.666219,  1.408712,   0.534339,
       -1.355592, -0.909855,  1.64356,    -0.8309702, -1.37254,  2.27985,   0.04795622, 1.247413});
}

TEST(RMSNormalization, normalises_several_axes) {
  Node node("RMSNormalization");
  node.attr("axis", int64_t{1})
      .attr("epsilon", 0.1)
      .in(of(DType::kF32,
             {0.66, -0.71, 0.63, -1.66, 0.65, 0.3, 0.47, -0.21, -1.1, 0.9, -0.14, 0.98}, {2, 3, 2}))
      .in(of(DType::kF32, {-0.54, -1.65, 0.17, 0.49, 1.69, 1.55}, {3, 2}));
  expect_near(node, "float32 2x3x2",
              {-0.3826621, 1.257824, 0.1149919, -0.8733371, 1.179445, 0.4992645, -0.3162223,
               0.431722, -0.2329928, 0.5494643, -0.294792, 1.892599});
}

TEST(RMSNormalization, has_the_dtype_of_scale) {
  EXPECT_EQ(Node("RMSNormalization").in(type("[b, 8]", DType::kF16)).in(type("[8]")).inferred(),
            "float32[b, 8]");
  EXPECT_EQ(Node("RMSNormalization").in(type("[b, 8]")).in(type("[3, 1, 8]")).inferred(),
            "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
