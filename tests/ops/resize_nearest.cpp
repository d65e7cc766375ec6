// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/resize.h"

namespace npugraph::testing {
namespace {

TEST(Resize, nearest_half_pixel_up) {
  Node node = enlarged("nearest", "half_pixel");
  expect_near(node, "float32 1x1x4x9",
              {-0.74, -0.74, -1.29, -1.29, -1.29, 1.43,  1.43,  1.06,  1.06, -0.74, -0.74, -1.29,
               -1.29, -1.29, 1.43,  1.43,  1.06,  1.06,  0.94,  0.94,  1.99, 1.99,  1.99,  0.24,
               0.24,  -1.29, -1.29, 0.44,  0.44,  -0.85, -0.85, -0.85, 0.05, 0.05,  -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, nearest_half_pixel_down) {
  Node node = reduced("nearest", "half_pixel",
                      {0.25,  1.69,  1.24, -0.34, 1.27,  1.44,  1.1,   0.21,  1.6,   -0.03,
                       -1.58, -0.91, 0.63, -0.48, -0.31, -0.39, -1.23, -1.63, -1.8,  0.69,
                       -0.7,  -0.17, 1.74, 0.51,  1.24,  1.05,  1.81,  -1.73, -0.46, 1.8});
  expect_near(node, "float32 1x1x3x2", {1.69, 1.27, -0.48, -1.23, 1.05, -0.46}, 0, 1e-5);
}

TEST(Resize, nearest_pytorch_half_pixel_up) {
  Node node = enlarged("nearest", "pytorch_half_pixel");
  expect_near(node, "float32 1x1x4x9",
              {-0.74, -0.74, -1.29, -1.29, -1.29, 1.43,  1.43,  1.06,  1.06, -0.74, -0.74, -1.29,
               -1.29, -1.29, 1.43,  1.43,  1.06,  1.06,  0.94,  0.94,  1.99, 1.99,  1.99,  0.24,
               0.24,  -1.29, -1.29, 0.44,  0.44,  -0.85, -0.85, -0.85, 0.05, 0.05,  -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, nearest_pytorch_half_pixel_down) {
  Node node = reduced("nearest", "pytorch_half_pixel",
                      {-0.14, 1.79,  -1.26, -1.76, 1.58,  -0.35, 0.03, 1.75,  -1.12, 1.87,
                       -0.41, -1.01, -1.07, 0.07,  -0.13, 1.54,  -1.8, -1.82, -1.39, 0.42,
                       1.13,  -0.08, 0.46,  0.57,  -1.92, -1.01, 1.99, -0.68, 1.79,  -0.03});
  expect_near(node, "float32 1x1x3x2", {1.79, 1.58, 0.07, -1.8, -1.01, 1.79}, 0, 1e-5);
}

TEST(Resize, nearest_align_corners_up) {
  Node node = enlarged("nearest", "align_corners");
  expect_near(node, "float32 1x1x4x9",
              {-0.74, -0.74, -1.29, -1.29, -1.29, 1.43,  1.43,  1.06,  1.06, 0.94, 0.94,  1.99,
               1.99,  1.99,  0.24,  0.24,  -1.29, -1.29, 0.94,  0.94,  1.99, 1.99, 1.99,  0.24,
               0.24,  -1.29, -1.29, 0.44,  0.44,  -0.85, -0.85, -0.85, 0.05, 0.05, -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, nearest_align_corners_down) {
  Node node = reduced("nearest", "align_corners",
                      {-1.11, -1.99, -1.13, -0.71, -0.24, -0.21, 0.19,  -0.1, -1.87, -0.93,
                       1.85,  -1.89, 0.94,  -0.09, 0.83,  -0.67, -0.52, 0.07, 1.64,  -0.69,
                       -1.66, -1.85, 1.53,  -0.75, -1.52, 0.39,  1.38,  0.4,  -1.39, -0.38});
  expect_near(node, "float32 1x1x3x2", {-1.11, -0.21, 0.94, 0.07, -1.52, -0.38}, 0, 1e-5);
}

TEST(Resize, nearest_asymmetric_up) {
  Node node = enlarged("nearest", "asymmetric");
  expect_near(node, "float32 1x1x4x9",
              {-0.74, -0.74, -1.29, -1.29, 1.43,  1.43,  1.06,  1.06, 1.06, 0.94,  0.94,  1.99,
               1.99,  0.24,  0.24,  -1.29, -1.29, -1.29, 0.94,  0.94, 1.99, 1.99,  0.24,  0.24,
               -1.29, -1.29, -1.29, 0.44,  0.44,  -0.85, -0.85, 0.05, 0.05, -0.16, -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, nearest_asymmetric_down) {
  Node node = reduced("nearest", "asymmetric",
                      {-0.93, -1.93, 1.86,  -0.16, -1.46, 1.54,  1.94,  1.26, -0.99, -1.24,
                       0.1,   0.33,  1.51,  1.87,  1.64,  -0.63, 0.34,  -1.5, 0.08,  -1.72,
                       -1.55, -1.51, -0.79, -0.76, 0.82,  -1.7,  -1.56, 0.63, 0.69,  0.84});
  expect_near(node, "float32 1x1x3x2", {-0.93, -0.16, 1.51, -0.63, 0.08, -1.51}, 0, 1e-5);
}

TEST(Resize, nearest_half_pixel_symmetric_up) {
  Node node = enlarged("nearest", "half_pixel_symmetric");
  expect_near(node, "float32 1x1x4x9",
              {-0.74, -0.74, -1.29, -1.29, -1.29, 1.43,  1.43,  1.06,  1.06, 0.94, 0.94,  1.99,
               1.99,  1.99,  0.24,  0.24,  -1.29, -1.29, 0.94,  0.94,  1.99, 1.99, 1.99,  0.24,
               0.24,  -1.29, -1.29, 0.44,  0.44,  -0.85, -0.85, -0.85, 0.05, 0.05, -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, nearest_half_pixel_symmetric_down) {
  Node node = reduced("nearest", "half_pixel_symmetric",
                      {0.88,  0.65, 0.21, 0.97,  -1.67, -1.15, 0.97,  -1.23, 0.12, -0.96,
                       -0.27, 1.34, 0.64, -0.22, -0.91, 1.22,  0.63,  -0.24, 1.48, 0.77,
                       1.92,  0.66, 1.6,  0.2,   0.84,  1.37,  -1.64, -0.1,  0.42, -1.77});
  expect_near(node, "float32 1x1x3x2", {0.65, -1.67, -0.22, 0.63, 1.37, 0.42}, 0, 1e-5);
}

TEST(Resize, round_prefer_floor_half_pixel) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("round_prefer_floor"))
      .attr("coordinate_transformation_mode", std::string("half_pixel"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -0.74, -1.29, 1.43, 1.43, 1.06,  -0.74, -0.74, -1.29, 1.43, 1.43,
               1.06,  0.94,  0.94,  1.99, 0.24, 0.24,  -1.29, 0.94,  0.94,  1.99, 0.24,
               0.24,  -1.29, 0.94,  0.94, 1.99, 0.24,  0.24,  -1.29, 0.44,  0.44, -0.85,
               0.05,  0.05,  -0.16, 0.44, 0.44, -0.85, 0.05,  0.05,  -0.16},
              0, 1e-5);
}

TEST(Resize, round_prefer_floor_asymmetric) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("round_prefer_floor"))
      .attr("coordinate_transformation_mode", std::string("asymmetric"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -1.29, -1.29, 1.43,  1.06,  1.06,  -0.74, -1.29, -1.29, 1.43,  1.06,
               1.06,  0.94,  1.99,  1.99,  0.24,  -1.29, -1.29, 0.94,  1.99,  1.99,  0.24,
               -1.29, -1.29, 0.44,  -0.85, -0.85, 0.05,  -0.16, -0.16, 0.44,  -0.85, -0.85,
               0.05,  -0.16, -0.16, 0.44,  -0.85, -0.85, 0.05,  -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, round_prefer_ceil_half_pixel) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("round_prefer_ceil"))
      .attr("coordinate_transformation_mode", std::string("half_pixel"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -1.29, -1.29, 1.43, 1.06,  1.06,  -0.74, -1.29, -1.29, 1.43,  1.06,
               1.06,  0.94,  1.99,  1.99, 0.24,  -1.29, -1.29, 0.94,  1.99,  1.99,  0.24,
               -1.29, -1.29, 0.94,  1.99, 1.99,  0.24,  -1.29, -1.29, 0.44,  -0.85, -0.85,
               0.05,  -0.16, -0.16, 0.44, -0.85, -0.85, 0.05,  -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, round_prefer_ceil_asymmetric) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("round_prefer_ceil"))
      .attr("coordinate_transformation_mode", std::string("asymmetric"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -1.29, -1.29, 1.43,  1.06,  1.06,  -0.74, -1.29, -1.29, 1.43,  1.06,
               1.06,  0.94,  1.99,  1.99,  0.24,  -1.29, -1.29, 0.94,  1.99,  1.99,  0.24,
               -1.29, -1.29, 0.44,  -0.85, -0.85, 0.05,  -0.16, -0.16, 0.44,  -0.85, -0.85,
               0.05,  -0.16, -0.16, 0.44,  -0.85, -0.85, 0.05,  -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, floor_half_pixel) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("floor"))
      .attr("coordinate_transformation_mode", std::string("half_pixel"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -0.74, -1.29, -1.29, 1.43,  1.06,  -0.74, -0.74, -1.29, -1.29, 1.43,
               1.06,  -0.74, -0.74, -1.29, -1.29, 1.43,  1.06,  0.94,  0.94,  1.99,  1.99,
               0.24,  -1.29, 0.94,  0.94,  1.99,  1.99,  0.24,  -1.29, 0.94,  0.94,  1.99,
               1.99,  0.24,  -1.29, 0.44,  0.44,  -0.85, -0.85, 0.05,  -0.16},
              0, 1e-5);
}

TEST(Resize, floor_asymmetric) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("floor"))
      .attr("coordinate_transformation_mode", std::string("asymmetric"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -0.74, -1.29, 1.43,  1.43, 1.06,  -0.74, -0.74, -1.29, 1.43, 1.43,
               1.06,  -0.74, -0.74, -1.29, 1.43, 1.43,  1.06,  0.94,  0.94,  1.99, 0.24,
               0.24,  -1.29, 0.94,  0.94,  1.99, 0.24,  0.24,  -1.29, 0.44,  0.44, -0.85,
               0.05,  0.05,  -0.16, 0.44,  0.44, -0.85, 0.05,  0.05,  -0.16},
              0, 1e-5);
}

TEST(Resize, ceil_half_pixel) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("ceil"))
      .attr("coordinate_transformation_mode", std::string("half_pixel"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -1.29, 1.43,  1.43,  1.06,  1.06,  0.94,  1.99,  0.24, 0.24,  -1.29,
               -1.29, 0.94,  1.99,  0.24,  0.24,  -1.29, -1.29, 0.94,  1.99, 0.24,  0.24,
               -1.29, -1.29, 0.44,  -0.85, 0.05,  0.05,  -0.16, -0.16, 0.44, -0.85, 0.05,
               0.05,  -0.16, -0.16, 0.44,  -0.85, 0.05,  0.05,  -0.16, -0.16},
              0, 1e-5);
}

TEST(Resize, ceil_asymmetric) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("ceil"))
      .attr("coordinate_transformation_mode", std::string("asymmetric"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 7, 6}, {4}));
  expect_near(node, "float32 1x1x7x6",
              {-0.74, -1.29, 1.43,  1.43,  1.06,  1.06,  0.94,  1.99,  0.24,  0.24,  -1.29,
               -1.29, 0.94,  1.99,  0.24,  0.24,  -1.29, -1.29, 0.44,  -0.85, 0.05,  0.05,
               -0.16, -0.16, 0.44,  -0.85, 0.05,  0.05,  -0.16, -0.16, 0.44,  -0.85, 0.05,
               0.05,  -0.16, -0.16, 0.44,  -0.85, 0.05,  0.05,  -0.16, -0.16},
              0, 1e-5);
}

}  // namespace
}  // namespace npugraph::testing
