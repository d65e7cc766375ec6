// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceL2, keeps_dims) {
  Node node("ReduceL2");
  node.in(of(DType::kF32,
             {1.21, 1.84, 1.42, -1.8, -0.65, -0.73, -1.55, 0.51, 1.19, -0.75, 1.45, 1.19},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {1.975601, 2.675537, 2.433331, 1.496229});
}

TEST(ReduceL2, drops_dims_of_several_axes) {
  Node node("ReduceL2");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.21, 1.84, 1.42, -1.8, -0.65, -0.73, -1.55, 0.51, 1.19, -0.75, 1.45, 1.19},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {2.740858, 2.689795, 2.115183});
}

TEST(ReduceL2, reduces_all_without_axes) {
  Node node("ReduceL2");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.21, 1.84, 1.42, -1.8, -0.65, -0.73, -1.55, 0.51, 1.19, -0.75, 1.45, 1.19},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {4.38421});
}

TEST(ReduceL2, applies_element_wise_with_noop) {
  Node node("ReduceL2");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {1.21, 1.84, 1.42, -1.8, -0.65, -0.73, -1.55, 0.51, 1.19, -0.75, 1.45, 1.19},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {1.21, 1.84, 1.42, 1.8, 0.65, 0.73, 1.55, 0.51, 1.19, 0.75, 1.45, 1.19});
}

TEST(ReduceL2, reduces_nothing_to_its_own_element) {
  Node node("ReduceL2");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {0, 0});
}

TEST(ReduceL2, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceL2").in(type("[b, 3, t]")).in(vec({-2})).inferred(), "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceL2")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceL2").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceL2")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceL2")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceL2, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceL2").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceL2").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
