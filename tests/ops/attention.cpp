// SPDX-License-Identifier: Apache-2.0
// Numbers: ONNX's reference implementation of the operator.
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Attention, four_axes) {
  Node node("Attention");
  node.in(of(DType::kF32,
             {0.5, 1.59, 1.1, -1.1, -0.8, 1.49, -1.98, 1.28, 1.19, -0.13, -0.79, -0.89},
             {1, 2, 2, 3}))
      .in(of(DType::kF32,
             {-0.98, -0.22, 0.02, 0.21, 1.98, 1.17, 0.49, 1.96, -1.14, -1.36, 0.45, -1.82, -1.86,
              0.06, -0.14, 1.67, 0.52, 0.06},
             {1, 2, 3, 3}))
      .in(of(DType::kF32,
             {-0.01, -1.01, -1.95, -1.23, 0.77, -1.2, -0.52, -1.99, 1.32, -1.38, -0.93, 1.52},
             {1, 2, 3, 2}));
  expect_near(
      node, "float32 1x2x2x2",
      {-1.364595, -1.216567, -0.5700019, -1.083269, 0.9241759, -1.429158, -0.05642098, -1.247029},
      0);
}

TEST(Attention, three_axes_and_heads_that_share_keys) {
  Node node("Attention");
  node.attr("q_num_heads", int64_t{2})
      .attr("kv_num_heads", int64_t{1})
      .attr("scale", 0.5)
      .in(of(DType::kF32, {0.04, 1.39, 0.56, 0.97, -1.63, 0.16, 0.03, 1.49}, {1, 2, 4}))
      .in(of(DType::kF32, {-0.55, 0.39, -1.76, -0.45, -0.71, -1.4}, {1, 3, 2}))
      .in(of(DType::kF32, {1.27, -0.48, 1.91, 0.36, 0.42, 0.55}, {1, 3, 2}));
  expect_near(
      node, "float32 1x2x4",
      {1.326908, -0.06878216, 1.249914, -0.04722168, 1.440245, 0.214823, 1.333007, -0.08183082}, 0);
}

TEST(Attention, a_bool_mask_and_a_query_without_any_key) {
  Node node("Attention");
  node.in(of(DType::kF32, {0.71, -1.4, -0.24, -1.04}, {1, 1, 2, 2}))
      .in(of(DType::kF32, {-0.39, -1.61, 1.87, -1.14, 0.69, -0.8}, {1, 1, 3, 2}))
      .in(of(DType::kF32, {1.5, 0.65, -1.47, 1.38, 1.78, 1.62}, {1, 1, 3, 2}))
      .in(of(DType::kBool, {1, 0, 1, 0, 0, 0}, {2, 3}));
  expect_near(node, "float32 1x1x2x2", {1.621926, 1.072386, 0, 0}, 0);
}

TEST(Attention, a_float_mask_shorter_than_the_keys) {
  Node node("Attention");
  node.in(of(DType::kF32, {0.28, -1.42, -1.23, 1.71}, {1, 1, 2, 2}))
      .in(of(DType::kF32, {0.21, -1.28, 1.54, 0.57, 0.28, -0.49}, {1, 1, 3, 2}))
      .in(of(DType::kF32, {-0.36, -1.04, -1.85, 1.5, -0.13, 0.19}, {1, 1, 3, 2}))
      .in(of(DType::kF32, {0.5, -kInf, -1, 2}, {2, 2}));
  expect_near(node, "float32 1x1x2x2", {-0.36, -1.04, -1.825231, 1.457776}, 0);
}

TEST(Attention, causal_after_past_keys) {
  Node node("Attention");
  node.attr("is_causal", int64_t{1})
      .attr("qk_matmul_output_mode", int64_t{2})
      .outputs(4)
      .in(of(DType::kF32, {-0.71, 1.01, -1.9, -0.51}, {1, 1, 2, 2}))
      .in(of(DType::kF32, {-1.88, -1.51, 1.87, 0.63}, {1, 1, 2, 2}))
      .in(of(DType::kF32, {-0.29, 0.09}, {1, 1, 2, 1}))
      .absent()
      .in(of(DType::kF32, {1.49, -0.62}, {1, 1, 1, 2}))
      .in(of(DType::kF32, {0.36}, {1, 1, 1, 1}));
  expect_near(node, "float32 1x1x2x1", {-0.1222859, -0.2838319}, 0);
  expect_near(node, "float32 1x1x3x2", {1.49, -0.62, -1.88, -1.51, 1.87, 0.63}, 1);
  expect_near(node, "float32 1x1x3x1", {0.36, -0.29, 0.09}, 2);
  expect_near(node, "float32 1x1x2x3",
              {-1.190839, -0.1345624, -kInf, -1.778232, 3.070328, -2.739544}, 3);
}

TEST(Attention, a_cap_on_scores) {
  Node node("Attention");
  node.attr("softcap", 1.5)
      .attr("qk_matmul_output_mode", int64_t{1})
      .outputs(4)
      .in(of(DType::kF32, {0.73, -0.58, 0.08, 1.06}, {1, 1, 2, 2}))
      .in(of(DType::kF32, {1.64, -1.4, 1.73, -1.98}, {1, 1, 2, 2}))
      .in(of(DType::kF32, {1.01, 1.24, -1.45, -0.32}, {1, 1, 2, 2}));
  expect_near(node, "float32 1x1x2x2", {-0.2889407, 0.4162815, -0.0690065, 0.555752}, 0);
  expect_near(node, "float32 1x1x2x2", {1.64, -1.4, 1.73, -1.98}, 1);
  expect_near(node, "float32 1x1x2x2", {1.01, 1.24, -1.45, -0.32}, 2);
  expect_near(node, "float32 1x1x2x2", {1.107732, 1.219949, -0.8450136, -1.091776}, 3);
}

TEST(Attention, padding_after_the_keys) {
  Node node("Attention");
  node.attr("is_causal", int64_t{1})
      .in(of(DType::kF32, {1.26, -1.94, 0.51, 1.17, 0.05, 0.9, -1.09, -1.21}, {2, 1, 2, 2}))
      .in(of(DType::kF32,
             {-0.55, -1.28, -0.62, 1.79, 0.29, -0.64, -0.91, 1.81, -0.22, 1.92, 0.06, 0.08},
             {2, 1, 3, 2}))
      .in(of(DType::kF32, {1.59, 0.97, 0.32, -0.29, 1.51, -0.35}, {2, 1, 3, 1}))
      .absent()
      .absent()
      .absent()
      .in(of(DType::kI64, {3, 2}, {2}));
  expect_near(node, "float32 2x1x2x1", {1.581482, 0.9141756, -0.29, 0.3371808}, 0);
}

TEST(Attention, a_window_to_the_left) {
  Node node("Attention");
  node.attr("left_window_size", int64_t{1})
      .attr("right_window_size", int64_t{0})
      .attr("qk_matmul_output_mode", int64_t{3})
      .outputs(4)
      .in(of(DType::kF32, {1.69, -1.73, -0.28, 0.08, 1.8, -1, 1.22, 0.71}, {1, 1, 4, 2}))
      .in(of(DType::kF32, {0.87, 0.52, 1.89, -0.67, -0.41, -1.19, -1.8, -1.15}, {1, 1, 4, 2}))
      .in(of(DType::kF32, {1.66, 1.36, -1.55, 0.42}, {1, 1, 4, 1}));
  expect_near(node, "float32 1x1x4x1", {1.66, 1.530074, 1.151133, -1.086603}, 0);
  expect_near(node, "float32 1x1x4x2", {0.87, 0.52, 1.89, -0.67, -0.41, -1.19, -1.8, -1.15}, 1);
  expect_near(node, "float32 1x1x4x1", {1.66, 1.36, -1.55, 0.42}, 2);
  expect_near(node, "float32 1x1x4x4",
              {1, 0, 0, 0, 0.5669128, 0.4330872, 0, 0, 0, 0.9282242, 0.07177576, 0, 0, 0, 0.7647733,
               0.2352267},
              3);
}

TEST(Attention, infers_symbolic_sizes) {
  Node split("Attention");
  split.outputs(4)
      .in(type("[b, 8, t, 64]"))
      .in(type("[b, 2, t, 64]"))
      .in(type("[b, 2, t, 32]", DType::kF16))
      .in(type("[b, 1, 1, p + t]", DType::kBool))
      .in(type("[b, 2, p, 64]"))
      .in(type("[b, 2, p, 32]", DType::kF16));
  EXPECT_EQ(split.inferred(0), "float32[b, 8, t, 32]");
  EXPECT_EQ(split.inferred(1), "float32[b, 2, p + t, 64]");
  EXPECT_EQ(split.inferred(2), "float16[b, 2, p + t, 32]");
  EXPECT_EQ(split.inferred(3), "float32[b, 8, t, p + t]");
  EXPECT_EQ(Node("Attention")
                .attr("q_num_heads", int64_t{8})
                .attr("kv_num_heads", int64_t{4})
                .in(type("[b, t, 512]"))
                .in(type("[b, s, 256]"))
                .in(type("[b, s, 128]"))
                .inferred(),
            "float32[b, t, 256]");
}

TEST(Attention, refuses_what_does_not_fit) {
  const auto infer = [](std::string_view q, std::string_view k, std::string_view v,
                        std::string_view mask = {}) {
    Node node("Attention");
    node.in(type(q)).in(type(k)).in(type(v));
    if (!mask.empty()) node.in(type(mask));
    return node.inferred();
  };
  EXPECT_EQ(infer("[b, 8, t, 64]", "[b, 3, t, 64]", "[b, 3, t, 64]"), "ShapeMismatch");
  EXPECT_EQ(infer("[b, 8, t, 64]", "[b, 8, t, 32]", "[b, 8, t, 64]"), "ShapeMismatch");
  EXPECT_EQ(infer("[2, 8, t, 64]", "[3, 8, t, 64]", "[2, 8, t, 64]"), "ShapeMismatch");
  EXPECT_EQ(infer("[b, 8, t, 64]", "[b, 8, 5, 64]", "[b, 8, 6, 64]"), "ShapeMismatch");
  EXPECT_EQ(infer("[b, 8, t, 64]", "[b, 8, t, 64]", "[b, t, 512]"), "ShapeMismatch");
  EXPECT_EQ(infer("[b, t, 64]", "[b, t, 64]", "[b, t, 64]"), "BadAttribute");
  EXPECT_EQ(infer("[1, 8, 5, 64]", "[1, 8, 6, 64]", "[1, 8, 6, 64]", "[5, 7]"), "ShapeMismatch");
  EXPECT_EQ(infer("[1, 8, 5, 64]", "[1, 8, 6, 64]", "[1, 8, 6, 64]", "[2, 1, 6]"), "ShapeMismatch");
  EXPECT_EQ(Node("Attention")
                .in(type("[b, 8, t, 64]"))
                .in(type("[b, 8, t, 64]"))
                .in(type("[b, 8, t, 64]"))
                .absent()
                .in(type("[b, 8, p, 64]"))
                .inferred(),
            "BadArity");
}

}  // namespace
}  // namespace npugraph::testing
