// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(FusedGemm, ends_with_nothing) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string(""))
      .in(of(DType::kF32, {-1.33, 0.62, -1.83, 1.86, 1.52, -1.34}, {2, 3}))
      .in(of(DType::kF32,
             {1.07, 1.29, -1.83, 0.26, -0.32, 0.47, 1.55, 0.89, -1.16, 0.22, 0.25, -1.95}, {3, 4}))
      .in(of(DType::kF32, {-1.47, -0.56, -1.29, -1.05}, {4}))
      .in(of(DType::kF32, {0.7, 1.85, -0.17, 0.58, 1.05, 0.69, 0.63, -2}, {2, 4}));
  expect_near(node, "float32 2x4",
              {-0.2687002, -0.5369, 1.4774, 3.3045, 2.6382, 2.949, -2.0428, 1.3994}, 0, 5e-6);
}

TEST(FusedGemm, ends_with_relu) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("Relu"))
      .in(of(DType::kF32, {-1.21, -0.4, 0.87, -1.98, 1.09, 0.94}, {2, 3}))
      .in(of(DType::kF32,
             {-0.45, -1.01, 0.16, -0.82, 1.28, 0.36, -0.77, 1.23, 0.43, -1.47, -0.34, -0.04},
             {3, 4}))
      .in(of(DType::kF32, {1.78, -0.72, -0.21, 1.91}, {4}))
      .in(of(DType::kF32, {-0.3, 1.31, -1.61, -0.42, -1.26, 1.54, 0.21, -1.13}, {2, 4}));
  expect_near(node, "float32 2x4", {1.8866, 0.3891999, 0, 1.9554, 3.2104, 1.8304, 0, 3.7067}, 0,
              5e-6);
}

TEST(FusedGemm, ends_with_clip) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("Clip"))
      .attr("activation_params", Floats{-0.5, 0.75})
      .in(of(DType::kF32, {1.64, 1.49, -0.25, 0.76, -1.27, -1.61}, {2, 3}))
      .in(of(DType::kF32, {0.86, 1.63, 0.99, 0.07, 0.52, 0.92, 0.28, -0.55, 1.4, -0.52, 1.61, 1.2},
             {3, 4}))
      .in(of(DType::kF32, {1.17, 1.33, 1.95, 1.96}, {4}))
      .in(of(DType::kF32, {0.01, -0.49, 0.93, 1.87, 0.52, -1.9, -1.85, -0.14}, {2, 4}));
  expect_near(node, "float32 2x4", {0.75, 0.75, 0.75, 0.75, -0.5, 0.3376, -0.5, 0.6396999}, 0,
              5e-6);
}

TEST(FusedGemm, ends_with_leakyrelu) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("LeakyRelu"))
      .attr("activation_params", Floats{0.1})
      .in(of(DType::kF32, {0.75, 0.77, 0.49, 0.03, 1.07, -0.42}, {2, 3}))
      .in(of(DType::kF32,
             {-0.95, 1.64, 1.38, 0.87, -1.33, -1.82, 1.69, 1.77, -0.91, 0.52, -1.93, -0.43},
             {3, 4}))
      .in(of(DType::kF32, {0.82, -0.56, 1.23, 1.65}, {4}))
      .in(of(DType::kF32, {-1.45, 0.75, -0.5, -1.3, -0.6, -0.07, 1.58, 1.06}, {2, 4}));
  expect_near(node, "float32 2x4",
              {-0.28125, 0.2734, 2.1206, 2.1547, -0.08494002, -0.27466, 5.4703, 4.8106}, 0, 5e-6);
}

TEST(FusedGemm, ends_with_hardswish) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("HardSwish"))
      .in(of(DType::kF32, {-1.59, 0.63, -1.04, -1.14, -1.45, 1.77}, {2, 3}))
      .in(of(DType::kF32,
             {-1.49, 1.65, -1.34, -0.68, -1.15, 1.95, -1.63, 1.44, -0.8, 1.81, 1, -0.94}, {3, 4}))
      .in(of(DType::kF32, {0.04, -1.36, -0.37, -1.89}, {4}))
      .in(of(DType::kF32, {0.73, 0.37, -0.91, -1.95, 1.76, -1.5, -0.69, -1.9}, {2, 4}));
  expect_near(node, "float32 2x4",
              {3.2466, -0.0, -0.3615857, -0.3096873, 3.7501, -0.0, 4.6011, -0.0}, 0, 5e-6);
}

TEST(FusedGemm, ends_with_hardsigmoid) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("HardSigmoid"))
      .attr("activation_params", Floats{0.25, 0.5})
      .in(of(DType::kF32, {1.98, 0.42, -1.38, -1.5, -0.22, -0.44}, {2, 3}))
      .in(of(DType::kF32,
             {-1.22, -1.64, 0.59, 1.17, -1.75, -0.76, -0.8, 0.17, 0.42, -0.36, 1.46, -0.44},
             {3, 4}))
      .in(of(DType::kF32, {-0.79, 1.07, 1.37, 1.51}, {4}))
      .in(of(DType::kF32, {-1.32, -1.21, -0.15, 1.87, 0.48, 0.49, -0.69, 1.96}, {2, 4}));
  expect_near(node, "float32 2x4", {0, 0, 0.50935, 1, 0.93005, 1, 0.33215, 0.9678}, 0, 5e-6);
}

TEST(FusedGemm, ends_with_sigmoid) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("Sigmoid"))
      .in(of(DType::kF32, {-0.8, 0.67, 1.6, 0.31, -1.89, 1.84}, {2, 3}))
      .in(of(DType::kF32,
             {-1.21, -0.62, 0.11, 0.48, -0.63, -0.24, 0.51, -0.17, -0.87, -0.36, -0.46, -0.83},
             {3, 4}))
      .in(of(DType::kF32, {0.4, 0.05, -0.35, 0.84}, {4}))
      .in(of(DType::kF32, {1.25, 0.6, -0.64, 1.75, -1.58, 1.22, -0.31, -0.41}, {2, 4}));
  expect_near(
      node, "float32 2x4",
      {0.6908081, 0.6008961, 0.1865933, 0.6822432, 0.1229054, 0.7045376, 0.08045359, 0.3481684}, 0,
      5e-6);
}

TEST(FusedGemm, ends_with_tanh) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("Tanh"))
      .in(of(DType::kF32, {-1.77, -1.6, 1.65, -0.35, 1.39, 0.78}, {2, 3}))
      .in(of(DType::kF32,
             {-1.65, -0.55, -0.67, -0.19, 1.02, -1.67, 1.71, -0.09, -0.54, 0.79, -0.89, 0.85},
             {3, 4}))
      .in(of(DType::kF32, {-0.34, -0.09, -1.24, -1.19}, {4}))
      .in(of(DType::kF32, {1.45, 0.31, -0.31, 1.1, 1.65, -1.36, 1.99, -1.94}, {2, 4}));
  expect_near(
      node, "float32 2x4",
      {0.9064944, 0.9999353, -0.9997848, 0.9460553, 0.9937687, -0.9946717, 0.9904007, -0.9872782},
      0, 5e-6);
}

TEST(FusedGemm, ends_with_silu) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("Silu"))
      .in(of(DType::kF32, {-1.14, -0.83, -0.58, -0.56, -1.28, -0.11}, {2, 3}))
      .in(of(DType::kF32,
             {-1.55, 1.47, 0.2, -1.62, -0.69, -0.98, -1.38, -0.08, -1.27, -1.39, 0.81, -0.28},
             {3, 4}))
      .in(of(DType::kF32, {0.69, -0.12, 0.02, -0.76}, {4}))
      .in(of(DType::kF32, {-0.29, -0.08, -0.63, 1.3, -1.01, -1.12, -0.62, 1.14}, {2, 4}));
  expect_near(
      node, "float32 2x4",
      {3.372031, -0.1117796, -0.07462101, 2.43737, 1.300567, -0.2240956, 0.6990526, 1.143992}, 0,
      5e-6);
}

TEST(FusedGemm, ends_with_gelu) {
  Node node("FusedGemm", "npugraph");
  node.attr("activation", std::string("Gelu"))
      .in(of(DType::kF32, {0.42, -1.74, 0.16, -1.4, 1.42, -1.62}, {2, 3}))
      .in(of(DType::kF32,
             {0.64, 0.82, -0.9, 0.37, -0.68, -0.96, -0.96, -1.94, 0.69, -1.71, -1.21, -1.65},
             {3, 4}))
      .in(of(DType::kF32, {1.22, 0.12, -0.13, 0.33}, {4}))
      .in(of(DType::kF32, {1.23, 0.5, 0.05, -0.75, 0.07, 1.95, 0.28, -0.09}, {2, 4}));
  expect_near(node, "float32 2x4",
              {4.01228, 2.339694, 0.861753, 2.840718, -0.07698833, 2.305874, 1.962094, -0.1293475},
              0, 5e-6);
}

TEST(FusedGemm, transposes_batches) {
  Node node("FusedGemm", "npugraph");
  node.attr("transA", int64_t{1})
      .attr("transB", int64_t{1})
      .attr("alpha", 0.5)
      .in(of(DType::kF32,
             {1.55, -1.78, -1.75, 1.16, 1.77, -1.8, -1.9, -1.96, 0.31, -1.45, 0.25, 0.66},
             {2, 3, 2}))
      .in(of(DType::kF32,
             {-1.94, 1.48, -0.99, 0.22, -0.59, -0.63, -0.39, -1.99, -0.28, -0.94, -0.57, -1.35},
             {4, 3}))
      .absent()
      .in(of(DType::kF32,
             {-0.66, 0.8, 1.94, -1.21, 1.47, 0.46, -1.6, -1.94, 1.54, -1.06, -1.58, 0.62, 0.83,
              1.58, 0, -0.75},
             {2, 2, 4}));
  expect_near(node, "float32 2x2x4",
              {-4.33465, 0.9292, 3.1312, -2.6345, 4.946, 0.489, -2.1551, -0.2190001, 3.48865,
               -1.4392, -1.55295, 1.2559, 1.3315, 1.58425, 1.73255, 0.13895});
}

TEST(FusedGemm, infers_symbolic_shapes) {
  Node node("FusedGemm", "npugraph");
  node.attr("transB", int64_t{1}).in(type("[b, t, 64]")).in(type("[256, 64]")).in(type("[256]"));
  EXPECT_EQ(node.inferred(), "float32[b, t, 256]");
  EXPECT_EQ(Node("FusedGemm", "npugraph").in(type("[b, 64]")).in(type("[256, 64]")).inferred(),
            "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
