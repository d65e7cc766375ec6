// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceSum, keeps_dims) {
  Node node("ReduceSum");
  node.in(of(DType::kF32,
             {1.24, -1.45, -0.32, 1.26, -1.94, 0.51, 1.17, 0.05, 0.9, -1.09, -1.21, -0.55},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {-1.02, 0.3199999, 0.8599999, -1.59});
}

TEST(ReduceSum, drops_dims_of_several_axes) {
  Node node("ReduceSum");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.24, -1.45, -0.32, 1.26, -1.94, 0.51, 1.17, 0.05, 0.9, -1.09, -1.21, -0.55},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {1.01, 0.7499999, -3.19});
}

TEST(ReduceSum, reduces_all_without_axes) {
  Node node("ReduceSum");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.24, -1.45, -0.32, 1.26, -1.94, 0.51, 1.17, 0.05, 0.9, -1.09, -1.21, -0.55},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {-1.43});
}

TEST(ReduceSum, applies_element_wise_with_noop) {
  Node node("ReduceSum");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {1.24, -1.45, -0.32, 1.26, -1.94, 0.51, 1.17, 0.05, 0.9, -1.09, -1.21, -0.55},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {1.24, -1.45, -0.32, 1.26, -1.94, 0.51, 1.17, 0.05, 0.9, -1.09, -1.21, -0.55});
}

TEST(ReduceSum, takes_int32) {
  Node node("ReduceSum");
  node.in(of(DType::kI32, {-8, -6, -2, -3, -4, 8}, {2, 3})).in(Tensor::of_ints({1}, {1}));
  expect_near(node, "int32 2x1", {-16, 1});
}

TEST(ReduceSum, reduces_nothing_to_its_own_element) {
  Node node("ReduceSum");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {0, 0});
}

TEST(ReduceSum, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceSum").in(type("[b, 3, t]")).in(vec({-2})).inferred(), "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceSum")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceSum").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceSum")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceSum")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceSum, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceSum").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceSum").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

TEST(ReduceSum, carries_content) {
  EXPECT_EQ(Node("ReduceSum").attr("keepdims", int64_t{0}).dims("[b, t, 2]").inferred(),
            "int64[] = [b + t + 2]");
}

}  // namespace
}  // namespace npugraph::testing
