// SPDX-License-Identifier: Apache-2.0
// Numbers: ONNX's reference implementation of the operator.
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(RotaryEmbedding, turns_halves) {
  Node node("RotaryEmbedding");
  node.in(of(DType::kF32,
             {-0.08, 0.38, 0.64, -0.77, 1.85, -0.14, 0.51, 0.54, -1.26, -1.75, -0.35, 1.06, 1.26,
              0.92, -1.55, 1.65},
             {1, 2, 2, 4}))
      .in(of(DType::kF32, {1.21, 1.51, 0.09, 1.66}, {1, 2, 2}))
      .in(of(DType::kF32, {-1.81, -1.88, -1.92, -0.99}, {1, 2, 2}));
  expect_near(node, "float32 1x2x2x4",
              {1.0616, -0.8738, 0.9192, -1.8771, 1.1457, 0.3022, -3.5061, 1.035, -2.1581, -0.6497,
               1.8571, 4.8906, -2.8626, 3.1607, -2.5587, 1.8282});
}

TEST(RotaryEmbedding, turns_neighbours_of_each_head) {
  Node node("RotaryEmbedding");
  node.attr("interleaved", int64_t{1})
      .attr("num_heads", int64_t{2})
      .in(of(DType::kF32,
             {-1.01, -1.25, 0.27, -1.84, 0.36, -1.34, 0.71, -1.92, -0.76, 1.75, 0.15, 1.25, 0.63,
              0.44, -1.23, 0.3},
             {1, 2, 8}))
      .in(of(DType::kF32, {-1.84, 1.21, 1.84, 1.42}, {1, 2, 2}))
      .in(of(DType::kF32, {-1.8, -0.65, -0.73, -1.55}, {1, 2, 2}));
  expect_near(node, "float32 1x2x8",
              {-0.3916, 4.118, -0.8693, -2.4019, -3.0744, 1.8176, -0.3889, -2.7847, -0.1209, 3.7748,
               2.1505, 1.5425, 1.4804, 0.3497, -1.2816, 2.3325});
}

TEST(RotaryEmbedding, takes_angles_by_position) {
  Node node("RotaryEmbedding");
  node.in(of(DType::kF32, {0.51, 1.19, -0.75, 1.45, 1.19, -1.48}, {1, 1, 3, 2}))
      .in(of(DType::kF32, {1.07, 1.53, -1.21, 0.29}, {4, 1}))
      .in(of(DType::kF32, {0.55, 0.44, -1.62, 0.64}, {4, 1}))
      .in(of(DType::kI64, {3, 0, 3}, {1, 3}));
  expect_near(node, "float32 1x1x3x2", {-0.6137, 0.6715, -1.6, 1.139, 1.2923, 0.3324});
}

TEST(RotaryEmbedding, copies_what_is_not_turned) {
  Node node("RotaryEmbedding");
  node.attr("rotary_embedding_dim", int64_t{2})
      .in(of(DType::kF32, {0.53, 1.3, 1.21, -0.69, 0.89, 1.47, 1.57, -1.35, -1.89, 0.6},
             {1, 1, 2, 5}))
      .in(of(DType::kF32, {-1.14, 0.25}, {1, 2, 1}))
      .in(of(DType::kF32, {1.78, -0.48}, {1, 2, 1}));
  expect_near(node, "float32 1x1x2x5",
              {-2.9182, -0.5386, 1.21, -0.69, 0.89, 1.1211, -0.3131, -1.35, -1.89, 0.6});
}

TEST(RotaryEmbedding, infers_symbolic_sizes) {
  EXPECT_EQ(Node("RotaryEmbedding")
                .in(type("[b, 8, t, 64]"))
                .in(type("[p, 32]"))
                .in(type("[p, 32]"))
                .in(type("[b, t]", DType::kI64))
                .inferred(),
            "float32[b, 8, t, 64]");
}

TEST(RotaryEmbedding, refuses_what_does_not_fit) {
  const auto infer = [](std::string_view x, std::string_view cache, int64_t heads, int64_t turned) {
    return Node("RotaryEmbedding")
        .attr("num_heads", heads)
        .attr("rotary_embedding_dim", turned)
        .in(type(x))
        .in(type(cache))
        .in(type(cache))
        .inferred();
  };
  EXPECT_EQ(infer("[b, t, 64]", "[b, t, 8]", 0, 0), "BadAttribute");
  EXPECT_EQ(infer("[b, t, 64]", "[b, t, 8]", 3, 0), "ShapeMismatch");
  EXPECT_EQ(infer("[b, 2, t, 5]", "[b, t, 2]", 0, 0), "ShapeMismatch");
  EXPECT_EQ(infer("[b, 2, t, 6]", "[b, t, 2]", 0, 0), "ShapeMismatch");
  EXPECT_EQ(infer("[b, 2, t, 6]", "[t, 3]", 0, 0), "ShapeMismatch");
  EXPECT_EQ(infer("[b, 2, t, 6]", "[b, t, 4]", 0, 8), "BadAttribute");
  Node outside("RotaryEmbedding");
  outside.in(iota({1, 1, 1, 2})).in(iota({2, 1})).in(iota({2, 1})).in(of(DType::kI64, {2}, {1, 1}));
  EXPECT_EQ(outside.ran(), "IndexOutOfRange");
}

}  // namespace
}  // namespace npugraph::testing
