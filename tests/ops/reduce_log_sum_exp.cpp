// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceLogSumExp, keeps_dims) {
  Node node("ReduceLogSumExp");
  node.in(of(DType::kF32,
             {-0.69, 0.89, 1.47, 1.57, -1.35, -1.89, 0.6, -1.14, 0.25, 1.78, -0.48, -0.99},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {1.631209, 2.000513, 1.315048, 1.890285});
}

TEST(ReduceLogSumExp, drops_dims_of_several_axes) {
  Node node("ReduceLogSumExp");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {-0.69, 0.89, 1.47, 1.57, -1.35, -1.89, 0.6, -1.14, 0.25, 1.78, -0.48, -0.99},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {1.625044, 2.795436, 0.3369522});
}

TEST(ReduceLogSumExp, reduces_all_without_axes) {
  Node node("ReduceLogSumExp");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {-0.69, 0.89, 1.47, 1.57, -1.35, -1.89, 0.6, -1.14, 0.25, 1.78, -0.48, -0.99},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {3.128911});
}

TEST(ReduceLogSumExp, applies_element_wise_with_noop) {
  Node node("ReduceLogSumExp");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {-0.69, 0.89, 1.47, 1.57, -1.35, -1.89, 0.6, -1.14, 0.25, 1.78, -0.48, -0.99},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {-0.69, 0.89, 1.47, 1.57, -1.35, -1.89, 0.6, -1.14, 0.25, 1.78, -0.48, -0.99});
}

TEST(ReduceLogSumExp, reduces_nothing_to_its_own_element) {
  Node node("ReduceLogSumExp");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {-kInf, -kInf});
}

TEST(ReduceLogSumExp, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceLogSumExp").in(type("[b, 3, t]")).in(vec({-2})).inferred(),
            "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceLogSumExp")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceLogSumExp").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceLogSumExp")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceLogSumExp")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceLogSumExp, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceLogSumExp").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceLogSumExp").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

TEST(ReduceLogSumExp, does_not_overflow) {
  Node node("ReduceLogSumExp");
  node.in(of(DType::kF32, {1000, 1000}, {2}));
  expect_near(node, "float32 1", {1000.6931});
}

}  // namespace
}  // namespace npugraph::testing
