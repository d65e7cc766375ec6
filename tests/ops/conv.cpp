// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Conv, works_on_images) {
  Node node("Conv");
  node.attr("pads", Ints{1, 0, 1, 2})
      .attr("strides", Ints{2, 1})
      .in(of(DType::kF32, {-0.93, 1.52, 0.04,  1.39,  0.56,  0.97,  -1.63, 0.16,  0.03, 1.49,
                           -0.55, 0.39, -1.76, -0.45, -0.71, -1.4,  1.27,  -0.48, 1.91, 0.36,
                           0.42,  0.55, 0.71,  -1.4,  -0.24, -1.04, -0.39, -1.61, 1.87, -1.14,
                           0.69,  -0.8, 1.5,   0.65,  -1.47, 1.38,  1.78,  1.62,  0.28, -1.42},
             {1, 2, 4, 5}))
      .in(of(DType::kF32,
             {-1.23, 1.71,  0.21,  -1.28, 1.54,  0.57,  0.28,  -0.49, -0.36, -1.04, -1.85,
              1.5,   -0.13, 0.19,  -0.71, 1.01,  -1.9,  -0.51, -1.88, -1.51, 1.87,  0.63,
              -0.29, 0.09,  1.49,  -0.62, 0.36,  0.73,  -0.58, 0.08,  1.06,  1.64,  -1.4,
              1.73,  -1.98, 1.01,  1.24,  -1.45, -0.32, 1.26,  -1.94, 0.51,  1.17,  0.05,
              0.9,   -1.09, -1.21, -0.55, -1.28, -0.62, 1.79,  0.29,  -0.64, -0.91},
             {3, 2, 3, 3}))
      .in(of(DType::kF32, {1.81, -0.22, 1.92}, {3}));
  expect_near(
      node, "float32 1x3x2x5",
      {6.4342,    2.9415,  -1.0733,     4.3626, 0.3902, -7.4099,  5.2255, 1.2381, 6.9432, 0.9293998,
       -1.0295,   6.4432,  -8.638,      3.2289, 0.1263, -5.7905,  7.9073, 2.5851, 3.6193, -7.7791,
       0.8225998, -1.8402, -0.00759995, 5.9073, 4.3455, 3.657001, 8.3412, -3.503, 3.2703, 6.0066});
}

TEST(Conv, works_on_signals) {
  Node node("Conv");
  node.attr("dilations", Ints{2})
      .in(of(DType::kF32,
             {0.06, 0.08, 1.59, 0.97, 0.32, -0.29, 1.51, -0.35, 1.69,  -1.73, -0.28, 0.08,
              1.8,  -1,   1.22, 0.71, 0.87, 0.52,  1.89, -0.67, -0.41, -1.19, -1.8,  -1.15},
             {2, 2, 6}))
      .in(of(DType::kF32,
             {1.66, 1.36, -1.55, 0.42, -0.08, 0.38, 0.64, -0.77, 1.85, -0.14, 0.51, 0.54},
             {2, 2, 3}));
  expect_near(node, "float32 2x2x2",
              {2.1586, 1.9233, -0.09459993, -2.0223, 3.4413, -2.1236, 0.3763999, -1.3588});
}

TEST(Conv, works_on_volumes) {
  Node node("Conv");
  node.attr("pads", Ints{0, 1, 0, 1, 0, 0})
      .in(of(DType::kF32, {-1.26, -1.75, -0.35, 1.06,  1.26,  0.92,  -1.55, 1.65,  1.21,
                           1.51,  0.09,  1.66,  -1.81, -1.88, -1.92, -0.99, -1.01, -1.25,
                           0.27,  -1.84, 0.36,  -1.34, 0.71,  -1.92, -0.76, 1.75,  0.15},
             {1, 1, 3, 3, 3}))
      .in(of(DType::kF32,
             {1.25, 0.63, 0.44, -1.23, 0.3, -1.84, 1.21, 1.84, 1.42, -1.8, -0.65, -0.73, -1.55,
              0.51, 1.19, -0.75},
             {2, 1, 2, 2, 2}));
  expect_near(
      node, "float32 1x2x3x3x2",
      {3.5908,  2.8238,    -9.1228, -11.8202, -0.7327999, 0.8390001,  -2.5052,   -3.5662, 6.6118,
       -1.1954, -2.0482,   3.6728,  2.382,    -1.2524,    -2.2846,    0.6008,    -3.7146, 0.2634,
       3.8259,  0.2550999, -3.2865, -3.4357,  0.4662996,  -0.1522001, 0.6541001, -3.7299, 1.0471,
       5.0839,  2.4168,    2.2457,  1.1677,   0.9331999,  4.0481,     -2.3207,   -3.9643, 3.2172});
}

TEST(Conv, has_groups) {
  Node node("Conv");
  node.attr("group", int64_t{2})
      .in(of(DType::kF32,
             {1.45,  1.19,  -1.48, 1.07, 1.53, -1.21, 0.29,  0.55,  0.44, -1.62, 0.64,  0.53,
              1.3,   1.21,  -0.69, 0.89, 1.47, 1.57,  -1.35, -1.89, 0.6,  -1.14, 0.25,  1.78,
              -0.48, -0.99, -0.17, 0.63, -1.6, -0.48, -1.47, 0.65,  1.32, -0.49, -0.51, 0.16},
             {1, 4, 3, 3}))
      .in(of(DType::kF32,
             {-1.14, -1.01, -0.68, -0.17, -1.67, 1.01,  0.32, -0.8,  -1.69, 1.05,  -1.48,
              -1.47, -1.48, -1.67, 1.63,  -0.92, -0.77, 1.33, 0.48,  -1.25, -0.26, 1.54,
              -0.5,  0.84,  -1.61, 0.91,  1.11,  1.3,   0.7,  -0.52, -1.74, 0.08},
             {4, 2, 2, 2}))
      .in(of(DType::kF32, {1.03, -1.24, -0.94, 0.14}, {4}));
  expect_near(node, "float32 1x4x2x2",
              {-0.01280022, 0.7392, -3.8659, -3.4441, -3.939101, -4.516, -6.5259, -6.2438, -4.6207,
               -0.3311, 2.4772, 3.2254, 3.536, 4.4246, -0.1720998, 0.7061999});
}

TEST(Conv, works_depthwise) {
  Node node("Conv");
  node.attr("group", int64_t{3})
      .attr("pads", Ints{1, 1, 1, 1})
      .attr("strides", Ints{2, 2})
      .in(of(DType::kF32,
             {0.99, 1.59,  -1.5,  -1.26, 1.2,   0.58,  0.88,  1.99,  1.76,  1.37,  1.11, -0.42,
              0.56, -1.26, 1.04,  1.03,  0.89,  -0.22, -0.49, -0.32, -1.87, 1.38,  0.17, -0.45,
              0.19, 0.89,  -0.47, 1.32,  1.68,  -0.45, -1.45, 1.04,  1.97,  -1.41, 0.85, 1.3,
              1.68, -1.51, -1.63, 1.95,  -1.53, -1.29, 0.3,   -0.21, 1,     -1.24, 1.66, -1.13},
             {1, 3, 4, 4}))
      .in(of(DType::kF32, {1.08,  -1.73, -0.11, -1.87, -0.74, -0.75, 0.88,  -0.18, -1.77,
                           1.98,  1.55,  1.67,  -1.01, -0.42, -1.09, -1.5,  -1.87, 0.01,
                           -1.51, -1.29, 1.44,  -0.06, -1.27, 0.68,  -0.94, 0.11,  -0.87},
             {3, 1, 3, 3}));
  expect_near(node, "float32 1x3x2x2",
              {-3.1677, -4.0886, -2.3403, -7.3023, 3.3767, -1.6156, -4.789899, 3.501, -1.9622,
               -0.5673, -2.0869, 9.075701});
}

TEST(Conv, pads_same_upper) {
  Node node("Conv");
  node.attr("auto_pad", std::string("SAME_UPPER"))
      .attr("strides", Ints{2, 2})
      .in(of(DType::kF32, {0.06, 0.51,  0.14, -0.42, 1.16, 1.49,  -1.28, -1.45, -1.55, 1.92,
                           1.77, -1.08, 1.88, -1.17, 0.03, -0.01, 1.66,  -1.84, -0.74, 0.4},
             {1, 1, 4, 5}))
      .in(of(DType::kF32, {-1.73, -1.05, -0.14, 1.52, 1.04, 1.32, 1.04, 0.83}, {1, 1, 2, 4}));
  expect_near(node, "float32 1x1x2x3", {-0.4894998, -2.470901, 0.4310002, 1.3363, -1.0362, 1.751});
}

TEST(Conv, pads_same_lower) {
  Node node("Conv");
  node.attr("auto_pad", std::string("SAME_LOWER"))
      .attr("strides", Ints{2, 2})
      .in(of(DType::kF32, {1.4,  0.73,  0.94, -0.79, -1.33, 1.03, -1.34, 1.68,  0.39, -0.68,
                           1.75, -1.38, 0.06, -1.63, 1.86,  0.3,  1.21,  -0.87, 1.21, 0.81},
             {1, 1, 4, 5}))
      .in(of(DType::kF32, {0.57, 1.8, -0.27, -0.34, 0.77, 1.34, -0.66, 0.68}, {1, 1, 2, 4}));
  expect_near(node, "float32 1x1x2x3", {-2.2172, 0.2807001, 1.7379, 0.6215, 2.3009, -2.9851});
}

TEST(Conv, pads_not_at_all) {
  Node node("Conv");
  node.attr("auto_pad", std::string("VALID"))
      .attr("kernel_shape", Ints{2, 4})
      .in(of(DType::kF32, {-1.16, 0.21, 1.08,  -1.74, 0.91, -1.94, 1.83,  -0.13, -0.36, 0.88,
                           0.09,  0.92, -1.66, 0.25,  0.23, 1.73,  -1.84, -0.19, 0.52,  0.2},
             {1, 1, 4, 5}))
      .in(of(DType::kF32, {-1.7, 0.37, -1.11, -1.22, 1.51, -1.21, -0.18, 1}, {1, 1, 2, 4}));
  expect_near(node, "float32 1x1x3x2", {-2.5066, 4.7292, 4.1301, -0.2503002, 7.1179, -5.1784});
}

TEST(Conv, takes_batches_without_elements) {
  EXPECT_EQ(Node("Conv").in(iota({0, 1, 4, 4})).in(iota({2, 1, 3, 3})).ran(), "float32 0x2x2x2");
}

TEST(Conv, infers_symbolic_shapes) {
  EXPECT_EQ(Node("Conv")
                .attr("strides", Ints{2, 2})
                .attr("pads", Ints{1, 1, 1, 1})
                .in(type("[n, 3, h, 2*w]"))
                .in(type("[16, 3, 3, 3]"))
                .inferred(),
            "float32[n, 16, floordiv(h - 1, 2) + 1, floordiv(2*w - 1, 2) + 1]");
  EXPECT_EQ(Node("Conv")
                .attr("auto_pad", std::string("SAME_UPPER"))
                .attr("strides", Ints{2})
                .in(type("[n, 3, t]"))
                .in(type("[16, 3, 5]"))
                .inferred(),
            "float32[n, 16, ceildiv(t, 2)]");
}

TEST(Conv, refuses_channels_that_do_not_fit) {
  EXPECT_EQ(Node("Conv").in(type("[1, 4, 8, 8]")).in(type("[6, 3, 3, 3]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Conv")
                .attr("group", int64_t{3})
                .in(type("[1, 4, 8, 8]"))
                .in(type("[6, 1, 3, 3]"))
                .inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("Conv")
                .attr("group", int64_t{2})
                .in(type("[1, 4, 8, 8]"))
                .in(type("[3, 2, 3, 3]"))
                .inferred(),
            "BadAttribute");
  EXPECT_EQ(
      Node("Conv").in(type("[1, 4, 8, 8]")).in(type("[6, 4, 3, 3]")).in(type("[5]")).inferred(),
      "ShapeMismatch");
}

TEST(Conv, refuses_wrong_ranks_and_windows) {
  const auto conv = [](std::string_view x, std::string_view w) {
    Node node("Conv");
    node.in(type(x)).in(type(w));
    return node;
  };
  EXPECT_EQ(conv("[1, 4]", "[6, 4]").inferred(), "ShapeMismatch");
  EXPECT_EQ(conv("[1, 1, 2, 2, 2, 2]", "[1, 1, 1, 1, 1, 1]").inferred(), "ShapeMismatch");
  EXPECT_EQ(conv("[1, 4, 8]", "[6, 4, 3, 3]").inferred(), "ShapeMismatch");
  EXPECT_EQ(conv("[1, 1, 2, 9]", "[1, 1, 3, 3]").inferred(), "ShapeMismatch");
  EXPECT_EQ(conv("[1, 1, 9, 9]", "[1, 1, 3, 3]").attr("kernel_shape", Ints{3, 2}).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(conv("[1, 1, 9, 9]", "[1, 1, 3, 3]").attr("strides", Ints{2}).inferred(),
            "BadAttribute");
  EXPECT_EQ(conv("[1, 1, 9, 9]", "[1, 1, 3, 3]").attr("strides", Ints{0, 1}).inferred(),
            "BadAttribute");
  EXPECT_EQ(conv("[1, 1, 9, 9]", "[1, 1, 3, 3]").attr("pads", Ints{0, 0, 0, -1}).inferred(),
            "BadAttribute");
  EXPECT_EQ(conv("[1, 1, 9, 9]", "[1, 1, 3, 3]").attr("group", int64_t{0}).inferred(),
            "BadAttribute");
  EXPECT_EQ(conv("[1, 1, 9, 9]", "[1, 1, 3, 3]").attr("auto_pad", std::string("SAME")).inferred(),
            "BadAttribute");
}

TEST(Conv, tells_what_was_found_and_expected) {
  const auto out = Node("Conv")
                       .attr("group", int64_t{3})
                       .in(type("[1, 4, 8, 8]"))
                       .in(type("[6, 1, 3, 3]"))
                       .infer();
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().found, "3");
  EXPECT_EQ(out.error().expected, "a divisor of 4");
}

TEST(Conv, knows_its_work) {
  const std::vector<TensorType> in = {type("[1, 3, 8, 8]"), type("[16, 3, 3, 3]")},
                                out = {type("[1, 16, 6, 6]")};
  EXPECT_EQ(work_of(*find_op("", "Conv"), in, out, {}).flops, 2.0 * 16 * 36 * 27);
}

}  // namespace
}  // namespace npugraph::testing
