// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceSumSquare, keeps_dims) {
  Node node("ReduceSumSquare");
  node.in(of(DType::kF32,
             {-0.17, 0.63, -1.6, -0.48, -1.47, 0.65, 1.32, -0.49, -0.51, 0.16, -1.14, -1.01},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {4.7498, 1.0498, 3.3021, 1.2858});
}

TEST(ReduceSumSquare, drops_dims_of_several_axes) {
  Node node("ReduceSumSquare");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {-0.17, 0.63, -1.6, -0.48, -1.47, 0.65, 1.32, -0.49, -0.51, 0.16, -1.14, -1.01},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {2.4083, 3.0761, 4.9031});
}

TEST(ReduceSumSquare, reduces_all_without_axes) {
  Node node("ReduceSumSquare");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {-0.17, 0.63, -1.6, -0.48, -1.47, 0.65, 1.32, -0.49, -0.51, 0.16, -1.14, -1.01},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {10.3875});
}

TEST(ReduceSumSquare, applies_element_wise_with_noop) {
  Node node("ReduceSumSquare");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {-0.17, 0.63, -1.6, -0.48, -1.47, 0.65, 1.32, -0.49, -0.51, 0.16, -1.14, -1.01},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {0.0289, 0.3969, 2.56, 0.2304, 2.1609, 0.4225, 1.7424, 0.2401, 0.2601, 0.0256, 1.2996,
               1.0201});
}

TEST(ReduceSumSquare, takes_int32) {
  Node node("ReduceSumSquare");
  node.in(of(DType::kI32, {-6, -4, 6, -1, 1, -8}, {2, 3})).in(Tensor::of_ints({1}, {1}));
  expect_near(node, "int32 2x1", {88, 66});
}

TEST(ReduceSumSquare, reduces_nothing_to_its_own_element) {
  Node node("ReduceSumSquare");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {0, 0});
}

TEST(ReduceSumSquare, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceSumSquare").in(type("[b, 3, t]")).in(vec({-2})).inferred(),
            "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceSumSquare")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceSumSquare").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceSumSquare")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceSumSquare")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceSumSquare, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceSumSquare").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceSumSquare").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
