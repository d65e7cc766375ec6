// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(FusedConv, ends_with_nothing) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string(""))
      .in(of(DType::kF32,
             {1.29, 1.39, -1.1, -1.13, 1.01, 1.31, -1.1, -1.18, -1.03, -1.45, -0.32, 0.01, 0.51,
              -1.78, -1.23, -1.53, -0.92, -1.26},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {1.75, -0.51, -1.44, 0.67, 1.89, 1.18, 0.59, -0.49, -0.39, -0.79, 1.22, 1.21, -0.04,
              1.45, 0.61, 0.74},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {-0.92, -1.03}, {2}))
      .in(of(DType::kF32, {-1.09, 1.65, 1.2, 1.6, 1.29, 1.22, -0.26, 1.06}, {1, 2, 2, 2}));
  expect_near(node, "float32 1x2x2x2",
              {-0.1024999, 2.1063, -3.0076, -1.9525, -2.9098, 1.3655, -8.632501, -7.2906}, 0, 5e-6);
}

TEST(FusedConv, ends_with_relu) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("Relu"))
      .in(of(DType::kF32,
             {1.48, -1.35, -1.28, 0.04, 0.35, 1.02, -0.83, 1.78, 0.51, 1.38, -0.09, -1.72, -1.95,
              0.56, -0.3, -0.24, -0.7, -1.29},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {-0.11, -0.98, 1.57, -1.29, 1.87, 1.44, -0.47, 1.09, 0.32, -0.14, 1.25, 1.32, -1.19,
              1.62, -1.87, -1.98},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {-0.07, -0.79}, {2}))
      .in(of(DType::kF32, {-0.31, -0.08, -0.13, 1.63, 1.67, -0.62, -0.85, 0.62}, {1, 2, 2, 2}));
  expect_near(node, "float32 1x2x2x2", {4.3694, 0, 0, 2.1967, 2.8043, 0, 4.6984, 5.4082}, 0, 5e-6);
}

TEST(FusedConv, ends_with_clip) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("Clip"))
      .attr("activation_params", Floats{-0.5, 0.75})
      .in(of(DType::kF32,
             {-1.63, -0.32, -1.61, -0.06, 0.92, -0.76, -1.33, -0.55, -1.34, 1.38, -1.62, 0.96,
              -0.66, 0.91, 1.08, -1.46, 1.03, 1.78},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {0.27, 0.58, -0.71, -1.3, 0.98, 1.28, -1.18, -1.55, -0.59, 0.5, -0.54, 1.86, 1.17,
              1.66, 0.4, 1.02},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {1.8, -1.86}, {2}))
      .in(of(DType::kF32, {0.3, -1.25, 1.18, -1.07, 0.97, -0.67, 0.61, 0.72}, {1, 2, 2, 2}));
  expect_near(node, "float32 1x2x2x2", {-0.5, -0.5, 0.75, 0.75, 0.75, -0.5, 0.1456, 0.75}, 0, 5e-6);
}

TEST(FusedConv, ends_with_leakyrelu) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("LeakyRelu"))
      .attr("activation_params", Floats{0.1})
      .in(of(DType::kF32,
             {1.15, 1.55, -0.5, 0.07, 0.05, -1.62, -2, 0.09, 0.02, 1.45, -1.27, 1.41, -0.91, 0.16,
              0.83, -1.42, 1.79, 1.83},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {1.88, -1.99, 0.57, 0.68, 1.52, -1.19, -1.5, 1.24, -0.95, -1.74, -1.63, 0.58, 0.14,
              0.99, 1.23, -1.99},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {1.73, 1.52}, {2}))
      .in(of(DType::kF32, {1.73, 1.07, -0.46, -1.01, 1.65, -0.32, -0.05, 0.79}, {1, 2, 2, 2}));
  expect_near(node, "float32 1x2x2x2",
              {7.8901, 2.8168, 2.9993, 2.9424, -0.3196599, -0.06603999, -0.0649, 4.3503}, 0, 5e-6);
}

TEST(FusedConv, ends_with_hardswish) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("HardSwish"))
      .in(of(DType::kF32,
             {-1.98, -1.77, 1.98, 0.23, 0.44, -0.59, 1.33, 0.23, 0.37, -1, 1.11, -1.14, -1.45, 0.39,
              1.33, -0.83, -0.79, -1.4},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {0.41, 1.08, -1.5, 0.14, 0.16, -1.57, 0.12, -0.91, -1.2, 1.94, -1.64, -0.63, 0.47,
              -0.38, -1.93, 1.46},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {-1.04, -0.35}, {2}))
      .in(of(DType::kF32, {1.63, 1.88, 1.66, -0.36, 0.98, 1.39, -1.21, 1.88}, {1, 2, 2, 2}));
  expect_near(node, "float32 1x2x2x2",
              {-0.0, 2.049433, -0.3330495, -0.00174801, 1.020776, 8.7993, -0.0, -0.3735179}, 0,
              5e-6);
}

TEST(FusedConv, ends_with_hardsigmoid) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("HardSigmoid"))
      .attr("activation_params", Floats{0.25, 0.5})
      .in(of(DType::kF32,
             {-0.47, -0.39, 0.13, -0.71, -1, 1.14, -0.88, -0.67, -0.04, -0.9, 0.91, -1.66, -0.71,
              -0.32, -0.97, 1.36, -0.58, -0.32},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {-0.12, 1.32, -1.13, 1.32, 1.79, -0.94, -1.32, 1.15, -0.75, -1.09, -1.69, 0.46, 1.75,
              1.53, 0.36, -0.25},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {1.91, 0.64}, {2}))
      .in(of(DType::kF32, {1.82, 0.75, 0.79, 0.8, -1.5, -0.99, -1.74, 1.73}, {1, 2, 2, 2}));
  expect_near(node, "float32 1x2x2x2",
              {0.714175, 1, 0.03572489, 1, 0.5748, 0.7988001, 0.651, 0.7046}, 0, 5e-6);
}

TEST(FusedConv, ends_with_sigmoid) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("Sigmoid"))
      .in(of(DType::kF32,
             {-1.27, 0.24, 0.7, 1.24, 1.25, -0.45, -0.92, 1.92, 0.21, -0.87, -1.45, 1.21, 1.39,
              0.28, -0.46, 0.64, 1.92, 0.31},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {1.15, 1.53, 1.03, -0.05, -1.29, 0.79, 1.33, 1.85, -1.39, -1.55, 0.54, 1.31, -1.69,
              0.46, -0.93, 2},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {-0.55, -1.67}, {2}))
      .in(of(DType::kF32, {1.13, -0.8, -0.32, -1.48, -0.68, -1.47, -0.97, 0.31}, {1, 2, 2, 2}));
  expect_near(
      node, "float32 1x2x2x2",
      {0.9545618, 0.9747856, 0.9860221, 0.9564201, 0.8054952, 0.06621124, 0.03703335, 0.05028286},
      0, 5e-6);
}

TEST(FusedConv, ends_with_tanh) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("Tanh"))
      .in(of(DType::kF32,
             {1.37, 0.62, 1.9, 1.51, -1.53, 0.01, 1.07, -1.67, 0.17, 1.97, -1.04, -1.53, -0.84,
              -0.62, -0.86, -0.27, 1.33, 0.07},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {0.36, -1.56, -1.74, 1.8, -0.61, 1.79, -0.66, 0.56, 0.65, -1.64, -1.72, -0.23, -1.49,
              -0.82, -1.22, -0.75},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {-0.18, -0.75}, {2}))
      .in(of(DType::kF32, {-0.66, -0.06, 0.73, -1.83, 1.99, -0.28, 1.69, -1.97}, {1, 2, 2, 2}));
  expect_near(
      node, "float32 1x2x2x2",
      {-1, -0.9859969, -0.7863518, -0.8774097, -0.9383788, 0.9958833, 0.9994125, -0.7369176}, 0,
      5e-6);
}

TEST(FusedConv, ends_with_silu) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("Silu"))
      .in(of(DType::kF32,
             {0.46, -0.95, -0.99, -0.02, 0.42, -0.25, 0.86, 1.8, -1.32, -1.05, 0.44, -0.36, -0.74,
              0.02, 0.79, 1.63, 1.76, 1.28},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {-0.61, 1.54, 0.84, -1.3, 1.81, -1.01, 0.73, 0.78, 1.63, 0.67, 1.93, -1.76, -1.85,
              -1.22, 0.3, -0.3},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {-1.67, -1.19}, {2}))
      .in(of(DType::kF32, {0.32, -0.39, 1.05, -0.13, 1.51, 1.04, -0.02, -0.57}, {1, 2, 2, 2}));
  expect_near(
      node, "float32 1x2x2x2",
      {-0.009546458, -0.1979696, -0.1529083, 2.099542, 0.5807663, -0.261427, -0.2769582, 3.608072},
      0, 5e-6);
}

TEST(FusedConv, ends_with_gelu) {
  Node node("FusedConv", "npugraph");
  node.attr("activation", std::string("Gelu"))
      .in(of(DType::kF32,
             {1.39, 0.26, -0.56, 0.6, 1.31, -1.03, 0.67, 0.84, -0.44, -1.42, 0.43, -1.16, -0.53,
              0.18, 1.85, -1.41, -1.71, 0.16},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {1.77, -1.82, 0.57, -1.89, 0.2, -1.52, 0.64, -0.56, 0.62, -0.97, -1.7, -1.27, -0.9,
              -1.34, -1.21, 0.18},
             {2, 2, 2, 2}))
      .in(of(DType::kF32, {-0.25, 1.3}, {2}))
      .in(of(DType::kF32, {-0.01, 0.16, 0.84, 1.41, 0.34, -1.85, -0.16, -1.87}, {1, 2, 2, 2}));
  expect_near(
      node, "float32 1x2x2x2",
      {-0.06634285, 5.011198, -0.02678436, 2.69443, 0.7783023, 0.3615331, -0.1224294, -0.07389118},
      0, 5e-6);
}

TEST(FusedConv, has_the_attributes_of_conv) {
  Node node("FusedConv", "npugraph");
  node.attr("group", int64_t{2})
      .attr("strides", Ints{2})
      .attr("pads", Ints{1, 0})
      .in(of(DType::kF32, {-0.73, -1.18, 0.54, 1.77,  -1.66, -0.45, -0.59, -1.68, 0.38,  1.93,
                           -0.89, 0.91,  1.6,  -0.92, 1.68,  0.99,  0.58,  -1.22, -0.89, -1.59},
             {1, 4, 5}))
      .in(of(DType::kF32,
             {1.58, 1.24,  -1.65, 0.12,  -1.15, 1.06,  0.29,  1.78, 0.91, -1.6, -0.51, 0.31,
              1.65, -0.52, -1.25, -0.87, -1.01, -1.38, -0.62, -1,   0.04, 1.58, 1.82,  -1.36},
             {4, 2, 3}))
      .absent()
      .in(of(DType::kF32, {0.28, 0.7, -1.39, 0.13}, {1, 4, 1}));
  expect_near(node, "float32 1x4x2",
              {1.2139, -1.5713, -1.6266, 4.8483, -3.865, 2.3853, 2.0694, -2.1646});
}

TEST(FusedConv, refuses_what_does_not_fit) {
  const auto conv = [](std::string activation, Floats params, std::string_view z) {
    Node node("FusedConv", "npugraph");
    node.attr("activation", std::move(activation))
        .attr("activation_params", std::move(params))
        .in(type("[n, 3, h, w]"))
        .in(type("[8, 3, 1, 1]"))
        .absent()
        .in(type(z));
    return node.inferred();
  };
  EXPECT_EQ(conv("Relu", {}, "[n, 8, h, w]"), "float32[n, 8, h, w]");
  EXPECT_EQ(conv("Clip", {0.0, 6.0}, "[n, 8, h, w]"), "float32[n, 8, h, w]");
  EXPECT_EQ(conv("Clip", {0.0}, "[n, 8, h, w]"), "BadAttribute");
  EXPECT_EQ(conv("relu", {}, "[n, 8, h, w]"), "BadAttribute");
  EXPECT_EQ(conv("", {}, "[n, 7, h, w]"), "ShapeMismatch");
  EXPECT_EQ(conv("", {}, "[1, n, 8, h, w]"), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
