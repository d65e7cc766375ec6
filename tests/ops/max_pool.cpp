// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

/// Two channels of 5x6 pixels.
Tensor image() {
  return of(DType::kF32,
            {0.96,  -0.49, 0.9,   0.79,  -0.45, -1.89, 1.85,  0.85,  -1.18, 0.92,  -0.89, -0.12,
             1.44,  -0.21, -0.85, -0.78, -1.69, -1.12, -0.92, -1.31, -1.75, -0.14, -1.14, 0.96,
             1.69,  -0.91, 0.29,  0.03,  -1.7,  -1.5,  1.54,  -0.1,  1.22,  -1.73, 0.38,  1.46,
             1.47,  -1.98, 0.09,  -0.52, 1.04,  -1.71, -0.94, 1.25,  -0.12, -0.19, 1.87,  -0.72,
             -1.83, -0.43, -1.39, -1.67, 0.27,  1.81,  0.32,  0.59,  -0.71, 0.28,  1.01,  0.36},
            {1, 2, 5, 6});
}

TEST(MaxPool, works_on_images) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{3, 2})
      .attr("strides", Ints{2, 2})
      .attr("pads", Ints{1, 0, 1, 1})
      .in(image());
  expect_near(node, "float32 1x2x3x3",
              {1.85, 0.92, -0.12, 1.85, 0.92, 0.96, 1.69, 0.29, 0.96, 1.54, 1.22, 1.46, 1.47, 0.09,
               1.87, 0.59, 0.28, 1.81});
}

TEST(MaxPool, gives_indices) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{2, 2}).attr("strides", Ints{2, 2}).in(image()).outputs(2);
  expect_near(node, "float32 1x2x2x3",
              {1.85, 0.92, -0.12, 1.44, -0.14, 0.96, 1.54, 1.22, 1.46, 1.25, -0.12, 1.87});
  expect_near(node, "int64 1x2x2x3", {6, 9, 11, 12, 21, 23, 30, 32, 35, 43, 44, 46}, 1);
}

TEST(MaxPool, gives_column_major_indices) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{2, 2})
      .attr("strides", Ints{2, 2})
      .attr("storage_order", int64_t{1})
      .in(image())
      .outputs(2);
  expect_near(node, "float32 1x2x2x3",
              {1.85, 0.92, -0.12, 1.44, -0.14, 0.96, 1.54, 1.22, 1.46, 1.25, -0.12, 1.87});
  expect_near(node, "int64 1x2x2x3", {1, 16, 26, 2, 18, 28, 30, 40, 55, 37, 42, 52}, 1);
}

TEST(MaxPool, rounds_up_with_ceil_mode) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{3, 3})
      .attr("strides", Ints{2, 2})
      .attr("pads", Ints{1, 1, 1, 1})
      .attr("ceil_mode", int64_t{1})
      .in(image());
  expect_near(node, "float32 1x2x3x4",
              {1.85, 0.92, 0.92, -0.12, 1.85, 0.92, 0.96, 0.96, 1.69, 0.29, 0.96, 0.96,
               1.54, 1.22, 1.46, 1.46,  1.47, 1.25, 1.87, 1.81, 0.59, 0.59, 1.81, 1.81});
}

TEST(MaxPool, has_dilations) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{2, 2}).attr("dilations", Ints{2, 3}).in(image()).outputs(2);
  expect_near(node, "float32 1x2x3x3",
              {1.44, -0.21, 0.9, 1.85, 0.85, 0.96, 1.69, -0.21, 0.29, 1.54, 1.87, 1.46, 1.47, 1.04,
               1.81, 0.32, 1.87, 0.36});
  expect_near(node, "int64 1x2x3x3",
              {12, 13, 2, 6, 7, 23, 24, 13, 26, 30, 46, 35, 36, 40, 53, 54, 46, 59}, 1);
}

TEST(MaxPool, works_on_signals) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{3})
      .attr("auto_pad", std::string("SAME_LOWER"))
      .attr("strides", Ints{2})
      .in(of(DType::kF32,
             {1.21, 0.2, -1.21, 0.33, -0.04, -1.34, 0.48, 1.27, -1.46, 0.18, 0.93, -0.39, -0.92,
              -0.51},
             {2, 1, 7}));
  expect_near(node, "float32 2x1x4", {1.21, 0.33, 0.33, 0.48, 1.27, 0.93, 0.93, -0.51});
}

TEST(MaxPool, works_on_volumes) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{2, 2, 2})
      .in(of(DType::kF32, {0.17,  0.75, 0.24,  -1.57, 1.27,  1.7,   -1.59, -1,    -1.31,
                           1.4,   1.64, -1.82, -0.67, -1.23, -0.12, 1.69,  -1.72, -1.31,
                           -0.05, 0.1,  0.98,  -0.25, -1.44, -0.59, 1.93,  1,     -1.53},
             {1, 1, 3, 3, 3}));
  expect_near(node, "float32 1x1x2x2x2", {1.64, 1.7, 1.69, 1.7, 1.64, 1.64, 1.93, 1});
}

TEST(MaxPool, takes_int8) {
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{2, 2})
      .attr("pads", Ints{1, 1, 0, 0})
      .in(of(DType::kI8,
             {-57, -20, -75, -70, -14, -23, -76, -99, -53, -14, -46, -84, -53, -55, -41, -35},
             {1, 1, 4, 4}));
  expect_near(node, "int8 1x1x4x4",
              {-57, -20, -20, -70, -14, -14, -20, -70, -14, -14, -14, -46, -53, -14, -14, -35});
}

TEST(MaxPool, infers_symbolic_shapes) {
  EXPECT_EQ(Node("MaxPool")
                .attr("kernel_shape", Ints{3, 3})
                .attr("strides", Ints{2, 2})
                .attr("pads", Ints{1, 1, 1, 1})
                .in(type("[n, c, h, w]"))
                .inferred(),
            "float32[n, c, floordiv(h - 1, 2) + 1, floordiv(w - 1, 2) + 1]");
  EXPECT_EQ(Node("MaxPool")
                .attr("kernel_shape", Ints{2})
                .attr("strides", Ints{2})
                .attr("ceil_mode", int64_t{1})
                .in(type("[n, c, t]"))
                .inferred(),
            "float32[n, c, ceildiv(t - 2, 2) + 1]");
}

TEST(MaxPool, refuses_wrong_windows) {
  EXPECT_EQ(Node("MaxPool").in(type("[1, 1, 4]")).inferred(), "BadAttribute");
  EXPECT_EQ(Node("MaxPool").attr("kernel_shape", Ints{2, 2}).in(type("[1, 1, 4]")).inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("MaxPool").attr("kernel_shape", Ints{5}).in(type("[1, 1, 4]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("MaxPool").attr("kernel_shape", Ints{0}).in(type("[1, 1, 4]")).inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("MaxPool").attr("kernel_shape", Ints{2}).in(type("[1, 4]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("MaxPool")
                .attr("kernel_shape", Ints{2})
                .attr("dilations", Ints{0})
                .in(type("[1, 1, 4]"))
                .inferred(),
            "BadAttribute");
}

TEST(MaxPool, does_not_walk_a_huge_window_in_the_padding) {
  constexpr int64_t kHuge = int64_t{1} << 31;
  Node node("MaxPool");
  node.attr("kernel_shape", Ints{kHuge})
      .attr("pads", Ints{kHuge, 0})
      .in(of(DType::kF32, {4}, {1, 1, 1}));
  EXPECT_EQ(node.result(), (Values{-kInf, 4}));
}

}  // namespace
}  // namespace npugraph::testing
