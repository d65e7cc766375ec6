// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(LayerNormalization, normalises_the_last_axis) {
  Node node("LayerNormalization");
  node.in(of(DType::kF32,
             {1.67, 1.87, 0.86,  1.45, 1.37, -0.57, -1.6,  0.91,  -1.45, -0.46, 1.98,  0.24,
              0.09, 1.79, -0.86, 2,    1.65, -0.54, -0.69, -1.49, 1.66,  -1.26, -1.96, 1.56},
             {2, 3, 4}))
      .in(of(DType::kF32, {0.39, 0.69, 0.93, -1.83}, {4}))
      .in(of(DType::kF32, {-1.63, -0.0, -1.8, 0.02}, {4}))
      .outputs(3);
  expect_near(
      node, "float32 2x3x4",
      {-1.416059, 0.7433426,  -3.281332,  0.0804749,  -1.18698,  -0.3488438, -3.080701, -1.346501,
       -2.105891, -0.2962709, -0.3865868, -0.2175561, -1.8478,   0.5997375,  -3.061326, -1.89334,
       -0.987807, -0.161466,  -2.137424,  1.941169,   -1.232651, -0.5336043, -2.918765, -1.732166});
  expect_near(node, "float32 2x3x1",
              {1.4625, 0.02749997, 0.07749994, 0.755, -0.2675, -5.960464e-08}, 1);
  expect_near(node, "float32 2x3x1",
              {2.643702, 0.8461434, 0.7988431, 0.8397921, 0.8587477, 0.6137615}, 2);
}

TEST(LayerNormalization, normalises_several_axes) {
  Node node("LayerNormalization");
  node.attr("axis", int64_t{1})
      .attr("epsilon", 0.1)
      .in(of(DType::kF32,
             {0.95, 0.63, 0.47, -1.81, -1.05, 1.59, -1.51, 0.13, -1.8, 1.76, -1.31, -0.36},
             {2, 3, 2}))
      .in(of(DType::kF32, {0.19, 0.87, 1.75, 0.95, -0.61, -1.7}, {3, 2}))
      .in(of(DType::kF32, {0.83, 1.89, -1.93, 1.1, -1.3, -0.16}, {3, 2}));
  expect_near(node, "float32 2x3x2",
              {0.9577392, 2.246653, -1.442164, -0.4110618, -0.7098414, -2.194973, 0.6796708,
               2.336216, -3.718165, 2.818587, -0.9143764, -0.3695304});
}

TEST(LayerNormalization, needs_no_bias) {
  Node node("LayerNormalization");
  node.in(of(DType::kF32, {0.09, 0.46, 1.96, 0.75, -0.43, 0.86, -0.13, -0.35}, {2, 4}))
      .in(of(DType::kF32, {-0.54, -0.03, -0.88, -1.03}, {4}));
  expect_near(
      node, "float32 2x4",
      {0.5582982, 0.01518742, -1.436887, 0.09547406, 0.4372696, -0.05076749, 0.2005485, 0.674233});
}

TEST(LayerNormalization, infers_all_outputs) {
  Node node("LayerNormalization");
  node.attr("axis", int64_t{-2})
      .outputs(3)
      .in(type("[b, t, 8]", DType::kF16))
      .in(type("[8]", DType::kF16));
  EXPECT_EQ(node.inferred(0), "float16[b, t, 8]");
  EXPECT_EQ(node.inferred(1), "float32[b, 1, 1]");
  EXPECT_EQ(node.inferred(2), "float32[b, 1, 1]");
}

TEST(LayerNormalization, refuses_what_does_not_fit) {
  EXPECT_EQ(Node("LayerNormalization").in(type("[b, 8]")).in(type("[7]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("LayerNormalization")
                .attr("axis", int64_t{2})
                .in(type("[b, 8]"))
                .in(type("[8]"))
                .inferred(),
            "AxisOutsideRank");
  EXPECT_EQ(Node("LayerNormalization")
                .attr("stash_type", int64_t{6})
                .in(type("[b, 8]"))
                .in(type("[8]"))
                .inferred(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
