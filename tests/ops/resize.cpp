// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/resize.h"

namespace npugraph::testing {
namespace {

TEST(Resize, linear_half_pixel_up) {
  Node node = enlarged("linear", "half_pixel");
  expect_near(node, "float32 1x1x4x9",
              {-0.74,      -0.8236957, -1.062826, -1.23087,     -0.04826087, 1.134348,
               1.309348,   1.148478,   1.06,      -0.004999995, 0.01782611,  0.08304346,
               0.1616168,  0.4939538,  0.8262908, 0.6232336,    0.2417119,   0.03187495,
               0.90875,    1.046277,   1.439212,  1.778057,     1.089198,    0.4003395,
               -0.2438859, -0.8732339, -1.219375, 0.59625,      0.5112228,   0.268288,
               0.03906246, 0.07031249, 0.1015625, -0.09361415,  -0.3642664,  -0.513125},
              0, 1e-5);
}

TEST(Resize, linear_half_pixel_down) {
  Node node = reduced("linear", "half_pixel",
                      {1.16,  0.86,  1.74,  -0.51, -0.12, 1.65, -0.35, 1.34,  -0.31, -0.65,
                       -0.89, -1.15, -0.27, -1.35, 1.31,  1.9,  -1.61, -1.78, -1.99, 1.73,
                       -1.7,  0.72,  -0.78, -1.21, -1.01, 0.76, -1.93, 1.46,  0.27,  -1.06});
  expect_near(node, "float32 1x1x3x2", {1.02, -0.3766667, -1.35, -1.61, 1.083333, -0.08000015}, 0,
              1e-5);
}

TEST(Resize, linear_pytorch_half_pixel_up) {
  Node node = enlarged("linear", "pytorch_half_pixel");
  expect_near(node, "float32 1x1x4x9",
              {-0.74,      -0.8236957, -1.062826, -1.23087,     -0.04826087, 1.134348,
               1.309348,   1.148478,   1.06,      -0.004999995, 0.01782611,  0.08304346,
               0.1616168,  0.4939538,  0.8262908, 0.6232336,    0.2417119,   0.03187495,
               0.90875,    1.046277,   1.439212,  1.778057,     1.089198,    0.4003395,
               -0.2438859, -0.8732339, -1.219375, 0.59625,      0.5112228,   0.268288,
               0.03906246, 0.07031249, 0.1015625, -0.09361415,  -0.3642664,  -0.513125},
              0, 1e-5);
}

TEST(Resize, linear_pytorch_half_pixel_down) {
  Node node = reduced("linear", "pytorch_half_pixel",
                      {-1.17, 0.62,  0.52,  -0.73, -0.66, -0.15, 1.64,  0.15,  1.36,  0.56,
                       0.25,  -0.04, 0.72,  -0.03, 0.9,   -1.27, -0.71, 1.49,  -0.42, 1.37,
                       1.75,  0.31,  -1.59, 1.03,  0.66,  -0.84, 1.45,  -0.07, -1.77, -1.73});
  expect_near(node, "float32 1x1x3x2", {0.4633334, -0.3566667, -0.03, -0.71, -0.1033329, -1.71}, 0,
              1e-5);
}

TEST(Resize, linear_align_corners_up) {
  Node node = enlarged("linear", "align_corners");
  expect_near(node, "float32 1x1x4x9",
              {-0.74,       -0.94625,   -1.1525,    -0.95,        0.06999999,  1.09,
               1.3375,      1.19875,    1.06,       0.38,         0.57375,     0.7675,
               0.8641667,   0.7666667,  0.6691666,  0.3508333,    -0.07791674, -0.5066667,
               0.7733333,   0.8745832,  0.9758332,  0.935,        0.6099999,   0.285,
               -0.09583332, -0.5045832, -0.9133332, 0.44,         -0.04375002, -0.5275,
               -0.7375,     -0.4,       -0.0625,    -0.002499998, -0.08125,    -0.16},
              0, 1e-5);
}

TEST(Resize, linear_align_corners_down) {
  Node node = reduced("linear", "align_corners",
                      {-1.09, 0.44,  1.26,  -1.6,  -1.91, 0.49,  -0.36, -0.23, 1.28,  1.68,
                       1.87,  1.12,  -1.99, -1.4,  0.35,  1.82,  -1.67, 0.06,  -0.41, -0.37,
                       -0.93, -0.92, -1.05, -1.59, 0.22,  -0.22, 0.85,  0.56,  1.81,  -0.64});
  expect_near(node, "float32 1x1x3x2", {-1.09, 0.49, -1.99, 0.06, 0.22, -0.64}, 0, 1e-5);
}

TEST(Resize, linear_asymmetric_up) {
  Node node = enlarged("linear", "asymmetric");
  expect_near(node, "float32 1x1x4x9",
              {-0.74,      -0.9791304,  -1.218261,   -0.4621738, 0.7204349,  1.365652,
               1.204782,   1.06,        1.06,        0.31,       0.5056522,  0.7013043,
               0.7375543,  0.7054892,   0.4958152,   0.01972812, -0.40875,   -0.40875,
               0.815,      1.017174,    1.219348,    0.9490217,  0.4761956,  -0.0161956,
               -0.537935,  -1.0075,     -1.0075,     0.5025,     0.06880429, -0.3648914,
               -0.3219022, -0.07461953, 0.008532625, -0.1545109, -0.30125,   -0.30125},
              0, 1e-5);
}

TEST(Resize, linear_asymmetric_down) {
  Node node = reduced("linear", "asymmetric",
                      {1.53, -0.46, 0.64, 1.22, -0.41, -0.22, 0.53, -1.56, 0.13,  -1.62,
                       -1.1, 0.49,  1.89, 2,    -0.96, -1.41, 0.07, -0.23, -0.48, 1.07,
                       0.84, 0.25,  0.49, 0.33, 0.71,  1.71,  1.79, 1.92,  1.44,  -1.58});
  expect_near(node, "float32 1x1x3x2", {1.53, 1.22, 1.436666, -1.48, -0.08333342, 0.8066665}, 0,
              1e-5);
}

TEST(Resize, linear_half_pixel_symmetric_up) {
  Node node = enlarged("linear", "half_pixel_symmetric");
  expect_near(node, "float32 1x1x4x9",
              {-0.635,     -0.7230434, -0.9186956, -0.9258288,  0.1353125,  1.196454,
               1.192092,   0.9997009,  0.9131249,  0.415,       0.5226088,  0.7617392,
               0.9419702,  0.7884375,  0.6349049,  0.1804075,   -0.3272012, -0.555625,
               0.78375,    0.8461142,  0.9847012,  1.042378,    0.6415625,  0.2407473,
               -0.2323642, -0.7182338, -0.9368749, 0.47125,     0.2474728,  -0.2498098,
               -0.624606,  -0.3053125, 0.01398098, -0.04622284, -0.1733968, -0.230625},
              0, 1e-5);
}

TEST(Resize, linear_half_pixel_symmetric_down) {
  Node node = reduced("linear", "half_pixel_symmetric",
                      {-0.19, 1.13,  -0.82, 0.43, -1.78, -1.19, -0.4,  -1.72, -0.3, -1.08,
                       1.45,  -0.72, -0.48, 1.21, 0.24,  -1.8,  -1.13, 0.44,  -1.2, -1.01,
                       0.49,  -0.02, -0.92, 0.24, 0.53,  -1.84, -0.9,  -0.77, 1.51, -1.79});
  expect_near(node, "float32 1x1x3x2", {0.18, -0.7033331, 1.21, -1.13, -1.563333, 0.6999993}, 0,
              1e-5);
}

TEST(Resize, tf_half_pixel_for_nn) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("nearest_mode", std::string("floor"))
      .attr("coordinate_transformation_mode", std::string("tf_half_pixel_for_nn"))
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

TEST(Resize, tf_crop_and_resize_linear) {
  Node node("Resize");
  node.attr("coordinate_transformation_mode", std::string("tf_crop_and_resize"))
      .attr("mode", std::string("linear"))
      .attr("extrapolation_value", 7.5)
      .in(of(DType::kF32,
             {0.81, -0.89, -1.33, -0.26, -1.65, -0.21, -0.02, 1.14, -1.56, -0.41, 1.12, -0.65, 1.34,
              0.87, -1.83, -0.46},
             {1, 1, 4, 4}))
      .in(of(DType::kF32, {0, 0, 0.2, 0.4, 1, 1, 0.8, 1.3}, {8}))
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 3}, {4}));
  expect_near(node, "float32 1x1x3x3",
              {-0.4944, 0.07419997, 7.5, -0.138, 0.38225, 7.5, 0.06960002, -0.3427001, 7.5}, 0,
              1e-5);
}

TEST(Resize, tf_crop_and_resize_cubic) {
  Node node("Resize");
  node.attr("coordinate_transformation_mode", std::string("tf_crop_and_resize"))
      .attr("mode", std::string("cubic"))
      .attr("extrapolation_value", 7.5)
      .in(of(DType::kF32,
             {1.07, 0.11, 0.69, 1.96, 0.7, 0.18, 1.38, -0.28, -1.96, -0.91, 0.38, 1.79, 0.43, -0.87,
              1.97, -0.4},
             {1, 1, 4, 4}))
      .in(of(DType::kF32, {0, 0, 0.2, 0.4, 1, 1, 0.8, 1.3}, {8}))
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 3}, {4}));
  expect_near(node, "float32 1x1x3x3",
              {0.3756374, 0.8242263, 7.5, -0.1067747, 0.8671364, 7.5, -0.6546557, 1.20063, 7.5}, 0,
              1e-5);
}

TEST(Resize, tf_crop_and_resize_nearest) {
  Node node("Resize");
  node.attr("coordinate_transformation_mode", std::string("tf_crop_and_resize"))
      .attr("mode", std::string("nearest"))
      .attr("extrapolation_value", 7.5)
      .in(of(DType::kF32,
             {-1.09, 0.21, -0.62, -1.55, 0.85, 0.77, 1.89, -1.45, 1.64, 1.19, -0.99, -0.08, 0.52,
              -0.74, -1.57, 1.35},
             {1, 1, 4, 4}))
      .in(of(DType::kF32, {0, 0, 0.2, 0.4, 1, 1, 0.8, 1.3}, {8}))
      .absent()
      .in(Tensor::of_ints({1, 1, 3, 3}, {4}));
  expect_near(node, "float32 1x1x3x3", {0.77, -1.45, 7.5, 0.77, -1.45, 7.5, 1.19, -0.08, 7.5}, 0,
              1e-5);
}

TEST(Resize, resizes_named_axes) {
  Node node("Resize");
  node.attr("mode", std::string("linear"))
      .attr("axes", Ints{2, 3})
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({6, 6}, {2}));
  expect_near(node, "float32 1x1x6x6", {-0.74, -1.015, -0.8366668, 0.9766664,  1.245,       1.06,
                                        -0.32, -0.395, -0.2029167, 0.8654166,  0.8024999,   0.4725,
                                        0.52,  0.845,  1.064583,   0.6429167,  -0.08250001, -0.7025,
                                        0.815, 1.0475, 1.09875,    0.3737501,  -0.4075,     -1.0075,
                                        0.565, 0.2125, -0.1004167, 0.05791665, -0.1725,     -0.4425,
                                        0.44,  -0.205, -0.7,       -0.1000001, -0.055,      -0.16},
              0, 1e-5);
}

TEST(Resize, not_larger) {
  Node node("Resize");
  node.attr("mode", std::string("linear"))
      .attr("axes", Ints{2, 3})
      .attr("keep_aspect_ratio_policy", std::string("not_larger"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({7, 6}, {2}));
  expect_near(node, "float32 1x1x5x6",
              {-0.74,      -1.015,     -0.8366668, 0.9766664,  1.245,      1.06,
               0.09999999, 0.225,      0.4308333,  0.7541665,  0.36,       -0.115,
               0.8566667,  1.186667,   1.298611,   0.426389,   -0.4466667, -1.101667,
               0.5233334,  0.07333344, -0.3002777, 0.00527779, -0.1333334, -0.3483334,
               0.44,       -0.205,     -0.7,       -0.1000001, -0.055,     -0.16},
              0, 1e-5);
}

TEST(Resize, not_smaller) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .attr("axes", Ints{2, 3})
      .attr("keep_aspect_ratio_policy", std::string("not_smaller"))
      .in(of(DType::kF32,
             {-0.74, -1.29, 1.43, 1.06, 0.94, 1.99, 0.24, -1.29, 0.44, -0.85, 0.05, -0.16},
             {1, 1, 3, 4}))
      .absent()
      .absent()
      .in(Tensor::of_ints({7, 6}, {2}));
  expect_near(
      node, "float32 1x1x7x9",
      {-0.74, -0.74, -1.29, -1.29, -1.29, 1.43,  1.43,  1.06, 1.06,  -0.74, -0.74, -1.29, -1.29,
       -1.29, 1.43,  1.43,  1.06,  1.06,  0.94,  0.94,  1.99, 1.99,  1.99,  0.24,  0.24,  -1.29,
       -1.29, 0.94,  0.94,  1.99,  1.99,  1.99,  0.24,  0.24, -1.29, -1.29, 0.94,  0.94,  1.99,
       1.99,  1.99,  0.24,  0.24,  -1.29, -1.29, 0.44,  0.44, -0.85, -0.85, -0.85, 0.05,  0.05,
       -0.16, -0.16, 0.44,  0.44,  -0.85, -0.85, -0.85, 0.05, 0.05,  -0.16, -0.16},
      0, 1e-5);
}

TEST(Resize, resizes_signals) {
  Node node("Resize");
  node.attr("mode", std::string("linear"))
      .in(of(DType::kF32, {-1.34, -0.04, -0.25, 1.61, 0.24, -0.3, 1.91, -0.59}, {1, 2, 4}))
      .absent()
      .in(of(DType::kF32, {1, 1, 2.5}, {3}));
  expect_near(
      node, "float32 1x2x10",
      {-1.34, -1.21, -0.69,       -0.17,  -0.103,    -0.187, -0.06400018, 0.68, 1.424,      1.61,
       0.24,  0.186, -0.03000001, -0.246, 0.3629999, 1.247,  1.66,        0.66, -0.3400002, -0.59},
      0, 1e-5);
}

TEST(Resize, resizes_volumes) {
  Node node("Resize");
  node.attr("mode", std::string("linear"))
      .in(of(DType::kF32, {0.91, -1.06, 1.03, 1.01, 1.31, -0.06, -1.11, 0.53}, {1, 1, 2, 2, 2}))
      .absent()
      .in(of(DType::kF32, {1, 1, 2, 1.5, 2}, {5}));
  expect_near(
      node, "float32 1x1x4x3x4",
      {0.91,       0.4175,    -0.5674999, -1.06,      0.97,      0.7212501, 0.22375,    -0.02499998,
       1.03,       1.025,     1.015,      1.01,       1.01,      0.555,     -0.3549999, -0.8099999,
       0.7524999,  0.5743751, 0.218125,   0.04000001, 0.4949999, 0.5937501, 0.79125,    0.8899999,
       1.21,       0.8299999, 0.07000001, -0.31,      0.3175,    0.280625,  0.206875,   0.17,
       -0.575,     -0.26875,  0.34375,    0.65,       1.31,      0.9675,    0.2825,     -0.06,
       0.09999996, 0.13375,   0.20125,    0.235,      -1.11,     -0.7,      0.12,       0.53},
      0, 1e-5);
}

TEST(Resize, resizes_matrices) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .in(of(DType::kF32,
             {1.64, -0.76, -1.92, -1.26, 1.73, -1.98, -1.78, -1.61, 1.57, -0.47, 0.77, 0.82},
             {3, 4}))
      .absent()
      .in(of(DType::kF32, {2, 0.6}, {2}));
  expect_near(node, "float32 6x2",
              {1.64, -1.92, 1.64, -1.92, 1.73, -1.78, 1.73, -1.78, 1.57, 0.77, 1.57, 0.77}, 0,
              1e-5);
}

TEST(Resize, moves_integers) {
  Node node("Resize");
  node.attr("mode", std::string("nearest"))
      .in(of(DType::kI32, {5, -2, -7, 4}, {1, 1, 2, 2}))
      .absent()
      .in(of(DType::kF32, {1, 1, 2, 2}, {4}));
  expect_near(node, "int32 1x1x4x4", {5, 5, -2, -2, 5, 5, -2, -2, -7, -7, 4, 4, -7, -7, 4, 4}, 0,
              1e-5);
}

TEST(Resize, infers_symbolic_shapes) {
  const auto by = [](const std::vector<float>& scales) {
    return Node("Resize")
        .in(type("[n, 3, h, w]"))
        .absent()
        .in(Tensor::of_floats(scales, {4}))
        .inferred();
  };
  EXPECT_EQ(by({1, 1, 2, 0.5F}), "float32[n, 3, 2*h, floordiv(w, 2)]");
  EXPECT_EQ(by({1, 1, 1.5F, 1}), "float32[n, 3, floordiv(3*h, 2), w]");
  EXPECT_EQ(by({1, 1, 0.3F, 1}), "float32[n, 3, late.node.2, w]");
  EXPECT_EQ(by({1, 1, 0, 1}), "ShapeMismatch");
  EXPECT_EQ(by({1, 1, -2, 1}), "ShapeMismatch");
  EXPECT_EQ(
      Node("Resize").in(type("[n, 3, h, w]")).absent().absent().dims("[n, 3, a, 2*w]").inferred(),
      "float32[n, 3, a, 2*w]");
  EXPECT_EQ(Node("Resize").in(type("[n, 3]")).absent().in(type("[2]")).inferred(),
            "float32[late.node.0, late.node.1]");
}

TEST(Resize, refuses_what_does_not_fit) {
  EXPECT_EQ(Node("Resize").in(iota({2, 2})).inferred(), "BadArity");
  EXPECT_EQ(Node("Resize").in(iota({2, 2})).absent().in(iota({2})).in(vec({3, 3})).inferred(),
            "BadArity");
  EXPECT_EQ(Node("Resize").in(iota({2, 2})).absent().absent().in(vec({3})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Resize").in(iota({2, 2})).absent().absent().in(vec({3, -3})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Resize").in(iota({0, 2})).absent().absent().in(vec({3, 3})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Resize")
                .attr("antialias", int64_t{1})
                .in(iota({2, 2}))
                .absent()
                .absent()
                .in(vec({3, 3}))
                .inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("Resize")
                .attr("coordinate_transformation_mode", std::string("tf_crop_and_resize"))
                .in(iota({2, 2}))
                .absent()
                .absent()
                .in(vec({3, 3}))
                .ran(),
            "ShapeMismatch");
}

TEST(Resize, survives_a_region_of_no_numbers) {
  Node node("Resize");
  node.attr("mode", std::string("cubic"))
      .attr("coordinate_transformation_mode", std::string("tf_crop_and_resize"))
      .attr("extrapolation_value", 3.0)
      .in(iota({4}))
      .in(of(DType::kF32, {kNaN, 1e30}, {2}))
      .absent()
      .in(vec({2}));
  EXPECT_EQ(node.result(), (Values{3, 3}));
}

TEST(Resize, gives_no_elements_where_none_are_asked_for) {
  EXPECT_EQ(Node("Resize").in(iota({2, 2})).absent().absent().in(vec({0, 2})).ran(), "float32 0x2");
}

}  // namespace
}  // namespace npugraph::testing
