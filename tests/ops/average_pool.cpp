// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(AveragePool, works_on_images) {
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{3, 2})
      .attr("strides", Ints{2, 2})
      .attr("pads", Ints{1, 0, 1, 1})
      .in(of(DType::kF32,
             {0.03,  -1.34, -1.44, -0.86, -1.79, -1.13, -1.48, -0.14, -0.57, 0.35,  -0.88, -1.86,
              -0.68, 1.02,  -0.98, -0.38, 1.02,  -0.37, 1.55,  1.67,  -0.76, 0.94,  -0.99, -1.44,
              -0.25, 0.41,  1.74,  -1.42, 0.85,  -0.1,  -1.47, 1.89,  0.78,  -1.48, 1.62,  -1.59,
              -1.63, -0.67, 1.75,  -1.87, 1.67,  0.45,  -1.73, 0.27,  -0.16, 0.26,  0.95,  0.71,
              1.99,  -1.37, 1.25,  -0.36, 1.13,  1.57,  1.97,  -0.94, -0.19, 1.77,  1.78,  -0.51},
             {1, 2, 5, 6}));
  expect_near(node, "float32 1x2x3x3",
              {-0.7325, -0.6300001, -1.415, 0.3233333, -0.2333333, -0.7533334, 0.845, 0.125, -0.42,
               -0.47, -0.205, 0.5375, -0.5233333, 0.145, 1.08, 0.4125, 0.6175, 0.9925});
}

TEST(AveragePool, counts_padding) {
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{3, 3})
      .attr("strides", Ints{2, 2})
      .attr("pads", Ints{1, 1, 1, 1})
      .attr("count_include_pad", int64_t{1})
      .in(of(DType::kF32,
             {1.76, -0.38, -0.5,  1.03,  -0.12, -0.21, -0.46, -0.27, -1.44, -1.76, 1.02,  0.26,
              0.69, 1.21,  -1.08, -1.06, -0.89, -0.78, 1.04,  -0.5,  -0.71, 0.55,  -1.25, -1.57,
              0.79, 1.03,  -0.81, 0.54,  -1.86, -0.38, 0.31,  -0.99, -0.61, 0.44,  0.36,  -1.38,
              0.83, -1.68, 1.88,  -1.19, -0.99, -1.2,  1.97,  -0.85, 0.42,  1.96,  1.8,   -1.83,
              0.08, 0.41,  0.81,  -0.66, -0.69, -1.98, -1.86, 0.2,   -1.7,  -1.19, -0.67, -1.72},
             {1, 2, 5, 6}));
  expect_near(node, "float32 1x2x3x3",
              {0.07222222, -0.3688889, 0.02444445, 0.19, -0.5622222, -0.6088889, 0.2622222,
               0.01111111, -0.4411111, -0.17, -0.2388889, -0.44, 0.08444446, 0.1222222, -0.5311111,
               -0.13, -0.2366667, -0.7677777});
}

TEST(AveragePool, rounds_up_with_ceil_mode) {
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{3, 3})
      .attr("strides", Ints{2, 2})
      .attr("pads", Ints{1, 1, 1, 1})
      .attr("ceil_mode", int64_t{1})
      .in(of(DType::kF32,
             {-1.88, 1.71,  -0.26, -1.18, 0.83,  -1.96, -1.02, 1.84,  1.59,  0.54,  -1.63, -0.73,
              -1.89, -1.12, -1.9,  -1.5,  0.53,  -1.6,  -1.38, 1.61,  -0.66, -0.67, -1.65, 1.18,
              0.71,  0.19,  0.47,  -1.6,  -0.96, 0.33,  1.81,  1.27,  0.56,  0.08,  -1.94, 1.56,
              -1.73, -1.48, 0.77,  1.25,  1.15,  -0.19, -1.29, -1.86, 1.41,  1.91,  -1.02, 1.46,
              -0.39, -0.75, 0.02,  -1.97, -0.23, -1.2,  0.85,  0.01,  1.48,  1.59,  -0.73, -0.88},
             {1, 2, 5, 6}));
  expect_near(
      node, "float32 1x2x3x4",
      {0.1625, 0.7066667,  -0.6883333, -1.345,     -0.3266667,  -0.03000001, -0.6144445, -0.3833333,
       0.2825, -0.11,      -0.5616667, 0.755,      -0.03250003, 0.4083333,   0.3183333,  0.6849999,
       -1.25,  -0.0777778, 0.1288889,  0.02333331, -0.06999999, 0.06333333,  -0.57,      -1.04});
}

TEST(AveragePool, counts_padding_and_rounds_up) {
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{3, 3})
      .attr("strides", Ints{3, 3})
      .attr("pads", Ints{1, 1, 1, 1})
      .attr("ceil_mode", int64_t{1})
      .attr("count_include_pad", int64_t{1})
      .in(of(DType::kF32,
             {1.76,  0.02,  -1.61, -1.82, 1.96,  0.32,  -1.78, 0.05,  0.02,  -0.26, 1.81,  1.8,
              -1.5,  -1.39, -0.37, 1.34,  0.5,   0.92,  0.3,   -1.16, 1.27,  -1.94, 0.79,  -1.22,
              -0.12, 1.9,   0.16,  -1.77, -0.28, 0.64,  -1.77, -0.99, -1.93, 0.16,  -0.47, 0.01,
              -0.82, 0.63,  -1.31, 1.63,  1.84,  -0.03, -0.14, 1.44,  -0.84, 1.21,  -0.85, 0.88,
              -0.66, 0.41,  1.7,   -1.78, 1.23,  0.17,  -0.48, -0.6,  -1.72, -0.97, 0.49,  -1.61},
             {1, 2, 5, 6}));
  expect_near(node, "float32 1x2x2x3",
              {0.005555556, 0.0111111, 0.3533333, -0.2188889, -0.03333335, 0.05666666, -0.3277777,
               -0.008888881, -0.003333333, -0.00333333, -0.17, -0.09333334});
}

TEST(AveragePool, has_dilations) {
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{2, 2})
      .attr("dilations", Ints{2, 3})
      .attr("pads", Ints{1, 1, 1, 1})
      .in(of(DType::kF32,
             {0.68,  1.85,  1.92,  1.56,  1.23,  -1.29, 1.88,  -1.19, 1.48,  1.51,  0.49,  0.09,
              -1.2,  0.08,  -0.84, -1.5,  -1.49, 1.2,   1.69,  -1.43, -1.95, -0.95, -1.46, -1.25,
              0.33,  -0.31, -0.28, -1.18, 0.66,  -0.84, -0.4,  -0.15, 1.62,  -1.01, 0.87,  -0.76,
              1.58,  -0.42, 0.02,  1.51,  0.69,  -1.62, -1.45, 1.96,  -1.88, -0.8,  1.84,  -1.94,
              -1.35, -1.15, -1.65, -0.11, 0.37,  -0.73, -1.57, 1.24,  1.22,  0.25,  -1.45, 0.17},
             {1, 2, 5, 6}));
  expect_near(
      node, "float32 1x2x5x5",
      {1.48,   1.695,   -0.35,   0.785,   1.51,   0.54,   -0.115,  0.4175,  0.2475, 0.02999997,
       -0.235, 1.0325,  -0.8975, -0.4075, 0.28,   -0.56,  -0.8875, -0.265,  -0.19,  -1.34,
       -1.95,  0.37,    -1.445,  -1.6,    -0.95,  0.02,   1.545,   0.135,   -0.8,   1.51,
       -0.13,  -0.915,  1.13,    -0.74,   -0.905, -0.815, 0.4075,  -0.1275, -0.995, 0.7,
       -0.33,  -0.8925, 0.8975,  -0.6075, -0.275, -1.65,  -0.73,   -0.39,   -1.19,  -0.11});
}

TEST(AveragePool, works_on_signals) {
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{3})
      .attr("auto_pad", std::string("SAME_UPPER"))
      .attr("strides", Ints{2})
      .in(of(
          DType::kF32,
          {0.52, -0.29, 1.46, -0.44, 0.04, -1.54, 0.25, 1.07, 0.93, -0.97, 1.97, 0.88, -0.3, -0.34},
          {2, 1, 7}));
  expect_near(node, "float32 2x1x4",
              {0.115, 0.2433334, -0.6466666, -0.645, 1, 0.6433334, 0.85, -0.32});
}

TEST(AveragePool, works_on_volumes) {
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{2, 2, 2})
      .in(of(DType::kF32, {1.12, -1.3,  0.56, 0.88,  0.07,  1.49,  -0.13, -0.14, -0.86,
                           1.68, -0.73, 0.78, -0.36, 1.74,  1.79,  -1.88, 1.98,  0.42,
                           -1.7, -0.01, -1.8, 0.2,   -1.26, -0.53, -0.78, 0.41,  1.29},
             {1, 1, 3, 3, 3}));
  expect_near(node, "float32 1x1x2x2x2",
              {0.3875, 0.55, 0.27, 0.81125, -0.05500001, -0.002499998, 0.006250013, 0.73});
}

TEST(AveragePool, infers_symbolic_shapes) {
  EXPECT_EQ(Node("AveragePool")
                .attr("kernel_shape", Ints{3, 3})
                .attr("strides", Ints{2, 2})
                .attr("pads", Ints{1, 1, 1, 1})
                .in(type("[n, c, h, w]"))
                .inferred(),
            "float32[n, c, floordiv(h - 1, 2) + 1, floordiv(w - 1, 2) + 1]");
  EXPECT_EQ(Node("AveragePool")
                .attr("kernel_shape", Ints{2})
                .attr("strides", Ints{2})
                .attr("ceil_mode", int64_t{1})
                .in(type("[n, c, t]"))
                .inferred(),
            "float32[n, c, ceildiv(t - 2, 2) + 1]");
}

TEST(AveragePool, refuses_wrong_windows) {
  EXPECT_EQ(Node("AveragePool").in(type("[1, 1, 4]")).inferred(), "BadAttribute");
  EXPECT_EQ(Node("AveragePool").attr("kernel_shape", Ints{2, 2}).in(type("[1, 1, 4]")).inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("AveragePool").attr("kernel_shape", Ints{5}).in(type("[1, 1, 4]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("AveragePool").attr("kernel_shape", Ints{0}).in(type("[1, 1, 4]")).inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("AveragePool").attr("kernel_shape", Ints{2}).in(type("[1, 4]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("AveragePool")
                .attr("kernel_shape", Ints{2})
                .attr("dilations", Ints{0})
                .in(type("[1, 1, 4]"))
                .inferred(),
            "BadAttribute");
}

TEST(AveragePool, does_not_walk_a_huge_window_in_the_padding) {
  constexpr int64_t kHuge = int64_t{1} << 31;
  Node node("AveragePool");
  node.attr("kernel_shape", Ints{kHuge})
      .attr("pads", Ints{kHuge, 0})
      .in(of(DType::kF32, {4}, {1, 1, 1}));
  EXPECT_EQ(node.result(), (Values{0, 4}));
}

}  // namespace
}  // namespace npugraph::testing
