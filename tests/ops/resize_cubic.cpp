// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Resize, cubic_half_pixel_up) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("half_pixel"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .in(of(DType::kF32, {1, 1, 1.6, 2.3}, {4}));
  expect_near(
      node, "float32 1x1x4x9",
      {-0.8197635, -1.032749,   -1.647916,  -1.553095, -0.2285849, 1.270611,  1.808155,  1.436962,
       1.253258,   -0.01317719, 0.05622238, 0.1552175, 0.3642773,  0.7287837, 0.9471262, 0.6994643,
       0.1878317,  -0.1338788,  0.8753265,  1.140606,  1.77404,    1.970136,  1.400436,  0.4491202,
       -0.4828881, -1.063768,   -1.47424,   0.7280772, 0.6040916,  0.3675542, 0.135826,  0.1028813,
       0.0928122,  -0.1663249,  -0.4710146, -0.6708164},
      0, 1e-5);
}

TEST(Resize, cubic_half_pixel_down) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("half_pixel"))
      .in(of(DType::kF32, {-0.61, -1.22, 0.78,  1.24,  -1.77, 1.45,  0.78, -1.13, 1.66,  -0.83,
                           1.15,  -1.7,  -0.18, 0.02,  1.59,  1.35,  0.19, -1.79, -0.28, -0.5,
                           1.98,  0.72,  -0.38, -0.54, 1.07,  -1.62, 1.27, 0.68,  -0.26, 0.84},
             {1, 1, 5, 6}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 2}, {4}));
  expect_near(node, "float32 1x1x3x2", {-1.255556, -0.7974072, 0.02, 0.19, -1.296296, -0.3294446},
              0, 1e-5);
}

TEST(Resize, cubic_pytorch_half_pixel_up) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("pytorch_half_pixel"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .in(of(DType::kF32, {1, 1, 1.6, 2.3}, {4}));
  expect_near(
      node, "float32 1x1x4x9",
      {-0.8197635, -1.032749,   -1.647916,  -1.553095, -0.2285849, 1.270611,  1.808155,  1.436962,
       1.253258,   -0.01317719, 0.05622238, 0.1552175, 0.3642773,  0.7287837, 0.9471262, 0.6994643,
       0.1878317,  -0.1338788,  0.8753265,  1.140606,  1.77404,    1.970136,  1.400436,  0.4491202,
       -0.4828881, -1.063768,   -1.47424,   0.7280772, 0.6040916,  0.3675542, 0.135826,  0.1028813,
       0.0928122,  -0.1663249,  -0.4710146, -0.6708164},
      0, 1e-5);
}

TEST(Resize, cubic_pytorch_half_pixel_down) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("pytorch_half_pixel"))
      .in(of(DType::kF32, {-0.41, -1.43, -0.33, -1.79, -1.65, -0.24, 1.3,   -1.19, 0,     1.92,
                           1.31,  1.61,  0.7,   0.36,  0.33,  0.4,   -0.14, -0.56, -1.05, -1.74,
                           -0.52, 1.08,  0.21,  -1.34, 1.26,  -1.83, 1.72,  0.61,  0.22,  -0.35},
             {1, 1, 5, 6}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 2}, {4}));
  expect_near(node, "float32 1x1x3x2", {-1.440555, -0.6375927, 0.36, -0.14, -1.918334, 0.2362964},
              0, 1e-5);
}

TEST(Resize, cubic_align_corners_up) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("align_corners"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .in(of(DType::kF32, {1, 1, 1.6, 2.3}, {4}));
  expect_near(
      node, "float32 1x1x4x9",
      {-0.74,       -1.11749,   -1.452266, -1.041465, 0.05312498, 1.166699,   1.633047,   1.372627,
       1.06,        0.4666663,  0.7992207, 1.157493,  1.277699,   1.152894,   0.8047283,  0.2714019,
       -0.2451501,  -0.6757402, 0.9692591, 1.239335,  1.498068,   1.360785,   0.9167709,  0.2898274,
       -0.3826947,  -0.8404363, -1.19537,  0.44,      -0.0841797, -0.6526563, -0.8463966, -0.50125,
       -0.04219727, 0.09734376, -0.025,    -0.16},
      0, 1e-5);
}

TEST(Resize, cubic_align_corners_down) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("align_corners"))
      .in(of(DType::kF32, {1.3,   -1.97, -1.94, 0.08, -0.81, -0.39, 0.15,  -1.82, 1.93,  0.71,
                           -1.6,  0.95,  0.13,  0.75, 0.95,  1.97,  -1.53, 1.98,  -0.09, -1.2,
                           -0.51, -0.54, 1.58,  0.1,  -1.73, 0.86,  -0.01, 1.26,  -1.81, 1.46},
             {1, 1, 5, 6}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 2}, {4}));
  expect_near(node, "float32 1x1x3x2", {1.3, -0.39, 0.13, 1.98, -1.73, 1.46}, 0, 1e-5);
}

TEST(Resize, cubic_asymmetric_up) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("asymmetric"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .in(of(DType::kF32, {1, 1, 1.6, 2.3}, {4}));
  expect_near(node, "float32 1x1x4x9",
              {-0.74,      -1.19269,    -1.430988,  -0.5613825, 0.8019425,  1.616429,
               1.390127,   1.048962,    1.023872,   0.389541,   0.7357907,  1.071918,
               1.139434,   0.9539573,   0.4622186,  -0.1218008, -0.6048228, -0.6900554,
               1.003906,   1.42768,     1.737025,   1.374174,   0.6275821,  -0.2765005,
               -0.8831246, -1.322212,   -1.413972,  0.5094726,  0.02403342, -0.4496497,
               -0.4521635, -0.07999191, 0.05488449, -0.125678,  -0.3129084, -0.3373065},
              0, 1e-5);
}

TEST(Resize, cubic_asymmetric_down) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("asymmetric"))
      .in(of(DType::kF32, {1.57,  -1.97, -0.09, -1.51, 0.12,  -1.64, 1.55, -1.27, 0.67,  0.61,
                           -0.72, -1.14, 1.66,  -1.84, -0.98, -0.69, 0.34, -0.52, -1.55, 0.28,
                           0.9,   0.82,  -0.04, -0.77, -1.96, 0.13,  0.51, -0.23, 1.84,  -1.19},
             {1, 1, 5, 6}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 2}, {4}));
  expect_near(node, "float32 1x1x3x2", {1.57, -1.51, 1.980925, -0.3307402, -2.035742, 0.6572222}, 0,
              1e-5);
}

TEST(Resize, cubic_half_pixel_symmetric_up) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("half_pixel_symmetric"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .in(of(DType::kF32, {1, 1, 1.6, 2.3}, {4}));
  expect_near(
      node, "float32 1x1x4x9",
      {-0.6069751, -0.7923604, -1.229159,  -1.008366, 0.1230022, 1.259024,   1.49295,    1.071706,
       0.8953653,  0.4168606,  0.6657205,  1.128651,  1.347344,  1.181554,   0.7068955,  0.05396893,
       -0.5155665, -0.8669666, 0.9235369,  1.107143,  1.492575,  1.473655,   0.9580645,  0.1850464,
       -0.5603302, -1.035413,  -1.352097,  0.5908678, 0.2512142, -0.3687998, -0.7097522, -0.4053526,
       0.02531087, 0.04067424, -0.1572708, -0.2515399},
      0, 1e-5);
}

TEST(Resize, cubic_half_pixel_symmetric_down) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("half_pixel_symmetric"))
      .in(of(DType::kF32, {1.26,  0.88,  1.6,   1.7,   -1.05, 1.69,  -0.39, 0.72,  1.81,  0.38,
                           0.33,  -1.72, 0.39,  -1.04, -0.45, -0.49, 1.89,  0.55,  0.9,   -1.31,
                           -0.78, 1.51,  -1.52, 1.81,  -0.29, -0.44, 0.06,  -0.23, -0.12, -0.3},
             {1, 1, 5, 6}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 2}, {4}));
  expect_near(node, "float32 1x1x3x2",
              {0.9274069, -0.7022202, -1.040001, 1.89, -0.7288883, -0.750187}, 0, 1e-5);
}

TEST(Resize, cubic_excludes_outside) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("exclude_outside", int64_t{1})
      .attr("cubic_coeff_a", -0.5)
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({1, 1, 5, 7}, {4}));
  expect_near(
      node, "float32 1x1x5x7",
      {-0.8135836, -1.186129,   -1.601113,   -0.03313698, 1.600953,   1.439407,     1.214953,
       -0.1375577, -0.1327891,  -0.04938834, 0.5638618,   1.015031,   0.4771169,    0.1188343,
       0.8567065,  1.323972,    1.996235,    1.27625,     0.1169826,  -0.8946747,   -1.41137,
       0.7221384,  0.5792642,   0.3180369,   0.1986284,   0.02349023, -0.4513683,   -0.7190731,
       0.5186055,  -0.08272761, -1.031749,   -0.599104,   0.06445797, 0.0006219149, -0.08347265},
      0, 1e-5);
}

}  // namespace
}  // namespace npugraph::testing
