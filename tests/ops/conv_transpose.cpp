// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ConvTranspose, works_on_images) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2, 2})
      .in(of(DType::kF32,
             {0.83, 0.21, 1.23, -0.14, 0.48, 1.28, 0.71, 0.57, -0.38, 0.23, -0.42, 0.98, -0.48,
              -0.13, 1.02, 0.01, -0.65, 1.31},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {-0.48, 1.38,  1.14,  -0.21, 0.85,  -1.86, -0.44, 1.44,  0.32,  0.23,  0.66, 0.71,
              0.33,  -0.32, -1.27, -0.83, -0.83, -0.28, 2,     -0.59, -0.21, -0.51, 0.33, 1.79},
             {2, 3, 2, 2}))
      .in(of(DType::kF32, {1.56, -0.49, -0.93}, {3}));
  expect_near(
      node, "float32 1x3x6x6",
      {1.2375,  2.6318,  1.3206,     1.9842,    1.293,      2.9438,     2.2141,     1.1948,
       2.3328,  1.8645,  1.7176,     0.4883,    1.4688,     1.5204,     1.2867,     2.264,
       1.2822,  3,       2.01,       1.9878,    2.2723,     1.5671,     1.7238,     0.4446,
       1.2225,  2.5366,  1.0719,     2.5546,    2.1747,     0.6164,     2.3567,     1.4026,
       3.0353,  1.9798,  -0.5369,    0.5525,    0.02459997, -2.0982,    0.03709996, -0.763,
       -0.2579, -3.0522, -0.3952,    0.5695,    -1.4224,    0.06019998, 0.9288001,  0.7030001,
       -0.2106, -0.0952, 0.02590001, -1.3464,   -0.2485999, -3.1564,    -1.3884,    -0.4084001,
       -0.9612, 0.2779,  0.9868,     0.7514001, 0.1052,     -1.8134,    0.534,      -1.3682,
       -1.9003, -0.15,   -0.7824,    0.5265,    -2.0408,    0.7142999,  2.2972,     -1.8101,
       -0.7127, -0.8564, -0.7746,    -0.6675,   -0.7422,    -1.1469,    -0.3063,    0.07099992,
       -0.93,   -1.5327, 0.2052,     1.6975,    -0.874,     -0.7174,    -0.7491,    -0.7533,
       -0.7346, -1.1558, -1.1808,    -1.8886,   -0.6561,    -0.8219,    0.2514001,  1.8046,
       -0.7049, -0.7718, -0.6111,    -0.4674,   -1.3267,    -1.6855,    -0.4581,    -0.4080001,
       -0.7683, -1.6888, -0.7485,    1.1451});
}

TEST(ConvTranspose, works_on_signals_with_pads) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("pads", Ints{1, 2})
      .attr("dilations", Ints{2})
      .in(of(DType::kF32, {1.54, -0.02, 0.74, -1.71, 1.47, -0.75, -0.02, -1.21, -0.32, 1.31},
             {2, 1, 5}))
      .in(of(DType::kF32, {1.31, -0.11, 1.07, -0.17, -0.51, 0.18, -1.19, -0.73}, {1, 2, 4}));
  expect_near(node, "float32 2x2x12",
              {0, -0.1956, 0, 2.6194,  0, -2.6047,     0, 2.909,     0, -2.1172, 0, 1.8636,
               0, 0.2874,  0, -2.2136, 0, -0.09509993, 0, -1.9235,   0, 1.7593,  0, -0.501,
               0, 0.0563,  0, -2.3854, 0, -0.18,       0, 0.4599997, 0, -0.2808, 0, 1.4561,
               0, -0.1248, 0, 1.506,   0, 0.5167,      0, 0.7288002, 0, 1.4999,  0, -1.3253});
}

TEST(ConvTranspose, works_on_volumes) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{1, 2, 1})
      .in(of(DType::kF32, {0.83, 1.08, -1.77, 0.93, 1.27, -0.22, -1.75, 0.73}, {1, 1, 2, 2, 2}))
      .in(of(DType::kF32, {-1.02, 0.57, -0.49, 0.55, -0.97, -0.09, 0.1, 0.52}, {1, 1, 2, 2, 2}));
  expect_near(
      node, "float32 1x1x3x4x3",
      {-0.8466, -0.6285001, 0.6156,  -0.4067, -0.07270002, 0.594,   1.8054,  -1.9575, 0.5301,
       0.8673,  -1.4292,    0.5115,  -2.1005, -0.1740001,  -0.2226, -0.5393, 1.3459,  0.4406,
       3.5019,  -2.4849,    0.3324,  0.6805,  -2.1476,     0.8851,  -1.2319, 0.0991,  0.0198,
       0.127,   0.6384,     -0.1144, 1.6975,  -0.5506001,  -0.0657, -0.175,  -0.837,  0.3796});
}

TEST(ConvTranspose, has_groups) {
  Node node("ConvTranspose");
  node.attr("group", int64_t{2})
      .in(of(DType::kF32,
             {-1.19, 1.85, -0.84, -0.78, -0.97, -1.73, -0.31, 1.09, 0.84, -1.22, -1.45, -0.71, 1.07,
              -0.05, 1.69, 0.63},
             {1, 4, 2, 2}))
      .in(of(DType::kF32,
             {0.48,  1.07,  1,     -0.62, -0.97, -0.25, -0.04, -1.43, -0.23, 0.56,  -1.46,
              -1.45, -1.31, -0.87, 1.85,  -1.9,  -1.27, -1.34, -0.1,  -1.94, -0.17, -1.35,
              -0.92, 1.17,  -1.26, 0.47,  -0.37, -0.33, 1.27,  -1.36, 1.7,   1.57},
             {4, 2, 2, 2}));
  expect_near(
      node, "float32 1x4x3x3",
      {-0.3481, -0.5306002, 1.0107, -0.1057, 4.8226,     1.1373,  -0.3874, -1.4011, -1.0969,
       2.425,   1.6132,     1.0426, -0.526,  0.07859993, -0.1118, -0.5399, 3.8379,  -0.9556001,
       -2.415,  0.9897,     1.6113, -0.7678, 1.003,      3.6308,  -0.4803, 2.0932,  1.1695,
       1.2161,  -2.4453,    1.715,  3.439,   4.28,       -1.4042, 4.207,   2.681,   0.1584001});
}

TEST(ConvTranspose, has_output_padding) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2, 2})
      .attr("output_padding", Ints{1, 0})
      .in(of(DType::kF32, {0.67, -1.8, 0.65, 0.4, 1.09, -1.14}, {1, 1, 3, 2}))
      .in(of(DType::kF32, {1.81, 1.54, -1.54, -0.74, -1.87, 1.32, 1.66, 1.96, 0.45}, {1, 1, 3, 3}));
  expect_near(
      node, "float32 1x1x8x5",
      {1.2127, 1.0318, -4.2898, -2.772,     2.772,  -0.4958, -1.2529, 2.2164, 3.366,  -2.376,
       2.2887, 2.3142, -2.9635, -2.912,     -1.426, -0.481,  -1.2155, 0.562,  -0.748, 0.5280001,
       3.0519, 2.9526, -2.7855, -0.9715999, 1.9356, -0.8066, -2.0383, 2.2824, 2.1318, -1.5048,
       1.8094, 2.1364, -1.4019, -2.2344,    -0.513, 0,       0,       0,      0,      0});
}

TEST(ConvTranspose, reaches_output_shape_5_notset) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("NOTSET"))
      .attr("output_shape", Ints{5})
      .in(of(DType::kF32, {0.66, 0.71, 0.28}, {1, 1, 3}))
      .in(of(DType::kF32, {1.81, 0.43, -0.66}, {1, 1, 3}));
  expect_near(node, "float32 1x1x5", {0.2838, 0.8494998, 0.3053, 0.03819999, 0.1204});
}

TEST(ConvTranspose, reaches_output_shape_6_notset) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("NOTSET"))
      .attr("output_shape", Ints{6})
      .in(of(DType::kF32, {0.05, -1.93, 0.9}, {1, 1, 3}))
      .in(of(DType::kF32, {0.78, -0.32, 1.41}, {1, 1, 3}));
  expect_near(node, "float32 1x1x6", {-0.016, -1.4349, 0.6176, -2.0193, -0.288, 1.269});
}

TEST(ConvTranspose, pads_same_upper) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("SAME_UPPER"))
      .in(of(DType::kF32, {1.02, -0.65, -1.69}, {1, 1, 3}))
      .in(of(DType::kF32, {-1.47, -1.26, -0.78}, {1, 1, 3}));
  expect_near(node, "float32 1x1x6", {-1.4994, -1.2852, 0.1599001, 0.8189999, 2.9913, 2.1294});
}

TEST(ConvTranspose, reaches_output_shape_5_same_upper) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("SAME_UPPER"))
      .attr("output_shape", Ints{5})
      .in(of(DType::kF32, {-0.21, 1.71, -0.89}, {1, 1, 3}))
      .in(of(DType::kF32, {1.59, 0.72, 1.41}, {1, 1, 3}));
  expect_near(node, "float32 1x1x5", {-0.1512, 2.4228, 1.2312, 0.9959999, -0.6408});
}

TEST(ConvTranspose, reaches_output_shape_6_same_upper) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("SAME_UPPER"))
      .attr("output_shape", Ints{6})
      .in(of(DType::kF32, {-0.39, -1.99, 1.15}, {1, 1, 3}))
      .in(of(DType::kF32, {-1.02, -1.43, 1.2}, {1, 1, 3}));
  expect_near(node, "float32 1x1x6", {0.3978, 0.5577, 1.5618, 2.8457, -3.561, -1.6445});
}

TEST(ConvTranspose, pads_same_lower) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("SAME_LOWER"))
      .in(of(DType::kF32, {0.75, -1.15, -0.93}, {1, 1, 3}))
      .in(of(DType::kF32, {1.76, -0.93, 0.81}, {1, 1, 3}));
  expect_near(node, "float32 1x1x6", {-0.6975, -1.4165, 1.0695, -2.5683, 0.8649, -0.7533});
}

TEST(ConvTranspose, reaches_output_shape_5_same_lower) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("SAME_LOWER"))
      .attr("output_shape", Ints{5})
      .in(of(DType::kF32, {-1.48, 1.26, -1.53}, {1, 1, 3}))
      .in(of(DType::kF32, {0.06, -1.86, 0.2}, {1, 1, 3}));
  expect_near(node, "float32 1x1x5", {2.7528, -0.2204, -2.3436, 0.1602, 2.8458});
}

TEST(ConvTranspose, reaches_output_shape_6_same_lower) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("SAME_LOWER"))
      .attr("output_shape", Ints{6})
      .in(of(DType::kF32, {1.39, -1.66, -0.9}, {1, 1, 3}))
      .in(of(DType::kF32, {1.06, 0.43, -0.75}, {1, 1, 3}));
  expect_near(node, "float32 1x1x6", {0.5977, -2.8021, -0.7138, 0.2910001, -0.387, 0.675});
}

TEST(ConvTranspose, pads_valid) {
  Node node("ConvTranspose");
  node.attr("strides", Ints{2})
      .attr("auto_pad", std::string("VALID"))
      .in(of(DType::kF32, {0.52, -0.18, 1.45}, {1, 1, 3}))
      .in(of(DType::kF32, {-0.83, 1.03, 0.54}, {1, 1, 3}));
  expect_near(node, "float32 1x1x7",
              {-0.4316, 0.5355999, 0.4302, -0.1854, -1.3007, 1.4935, 0.7830001});
}

TEST(ConvTranspose, infers_symbolic_shapes) {
  EXPECT_EQ(Node("ConvTranspose")
                .attr("strides", Ints{2, 2})
                .attr("group", int64_t{2})
                .in(type("[n, 8, h, w]"))
                .in(type("[8, 16, 2, 3]"))
                .inferred(),
            "float32[n, 32, 2*h, 2*w + 1]");
}

TEST(ConvTranspose, refuses_what_does_not_fit) {
  EXPECT_EQ(Node("ConvTranspose").in(type("[1, 4, 8]")).in(type("[3, 4, 2]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("ConvTranspose")
                .attr("group", int64_t{3})
                .in(type("[1, 4, 8]"))
                .in(type("[4, 4, 2]"))
                .inferred(),
            "BadAttribute");
  EXPECT_EQ(
      Node("ConvTranspose").in(type("[1, 4, 8]")).in(type("[4, 4, 2]")).in(type("[3]")).inferred(),
      "ShapeMismatch");
  EXPECT_EQ(Node("ConvTranspose")
                .attr("pads", Ints{5, 5})
                .in(type("[1, 4, 2]"))
                .in(type("[4, 4, 2]"))
                .inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("ConvTranspose")
                .attr("output_padding", Ints{1})
                .in(type("[1, 4, 2]"))
                .in(type("[4, 4, 2]"))
                .inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("ConvTranspose")
                .attr("output_shape", Ints{1, 1})
                .in(type("[1, 4, 2]"))
                .in(type("[4, 4, 2]"))
                .inferred(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
