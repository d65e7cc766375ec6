// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceL1, keeps_dims) {
  Node node("ReduceL1");
  node.in(of(DType::kF32,
             {0.27, -1.84, 0.36, -1.34, 0.71, -1.92, -0.76, 1.75, 0.15, 1.25, 0.63, 0.44},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {1.34, 5.1, 1.54, 3.44});
}

TEST(ReduceL1, drops_dims_of_several_axes) {
  Node node("ReduceL1");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {0.27, -1.84, 0.36, -1.34, 0.71, -1.92, -0.76, 1.75, 0.15, 1.25, 0.63, 0.44},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {4.62, 3.1, 3.7});
}

TEST(ReduceL1, reduces_all_without_axes) {
  Node node("ReduceL1");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {0.27, -1.84, 0.36, -1.34, 0.71, -1.92, -0.76, 1.75, 0.15, 1.25, 0.63, 0.44},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {11.42});
}

TEST(ReduceL1, applies_element_wise_with_noop) {
  Node node("ReduceL1");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {0.27, -1.84, 0.36, -1.34, 0.71, -1.92, -0.76, 1.75, 0.15, 1.25, 0.63, 0.44},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {0.27, 1.84, 0.36, 1.34, 0.71, 1.92, 0.76, 1.75, 0.15, 1.25, 0.63, 0.44});
}

TEST(ReduceL1, takes_int32) {
  Node node("ReduceL1");
  node.in(of(DType::kI32, {-5, -6, 4, 1, -3, -9}, {2, 3})).in(Tensor::of_ints({1}, {1}));
  expect_near(node, "int32 2x1", {15, 13});
}

TEST(ReduceL1, reduces_nothing_to_its_own_element) {
  Node node("ReduceL1");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {0, 0});
}

TEST(ReduceL1, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceL1").in(type("[b, 3, t]")).in(vec({-2})).inferred(), "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceL1")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceL1").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceL1")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceL1")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceL1, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceL1").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceL1").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
