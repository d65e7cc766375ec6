// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceLogSum, keeps_dims) {
  Node node("ReduceLogSum");
  node.in(of(DType::kF32, {1.98, 1.57, 2.03, 1.71, 0.79, 1.05, 0.94, 2.12, 1.14, 1.03, 1.8, 1.71},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {1.568616, 1.465567, 1.355835, 1.581038});
}

TEST(ReduceLogSum, drops_dims_of_several_axes) {
  Node node("ReduceLogSum");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32, {1.98, 1.57, 2.03, 1.71, 0.79, 1.05, 0.94, 2.12, 1.14, 1.03, 1.8, 1.71},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {1.888584, 1.776646, 1.677096});
}

TEST(ReduceLogSum, reduces_all_without_axes) {
  Node node("ReduceLogSum");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32, {1.98, 1.57, 2.03, 1.71, 0.79, 1.05, 0.94, 2.12, 1.14, 1.03, 1.8, 1.71},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {2.883123});
}

TEST(ReduceLogSum, applies_element_wise_with_noop) {
  Node node("ReduceLogSum");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32, {1.98, 1.57, 2.03, 1.71, 0.79, 1.05, 0.94, 2.12, 1.14, 1.03, 1.8, 1.71},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {0.6830969, 0.4510757, 0.7080358, 0.5364934, -0.2357224, 0.04879012, -0.06187541,
               0.751416, 0.1310282, 0.02955877, 0.5877866, 0.5364934});
}

TEST(ReduceLogSum, reduces_nothing_to_its_own_element) {
  Node node("ReduceLogSum");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {-kInf, -kInf});
}

TEST(ReduceLogSum, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceLogSum").in(type("[b, 3, t]")).in(vec({-2})).inferred(),
            "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceLogSum")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceLogSum").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceLogSum")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceLogSum")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceLogSum, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceLogSum").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceLogSum").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
