// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(CumSum, runs) {
  Node node("CumSum");
  node.attr("exclusive", int64_t{0})
      .attr("reverse", int64_t{0})
      .in(of(DType::kF32, {0.73, -0.58, 0.08, 1.06, 1.64, -1.4}, {2, 3}))
      .in(Tensor::of_ints({1}, {}));
  expect_near(node, "float32 2x3", {0.73, 0.15, 0.23, 1.06, 2.7, 1.3});
}

TEST(CumSum, runs_reverse) {
  Node node("CumSum");
  node.attr("exclusive", int64_t{0})
      .attr("reverse", int64_t{1})
      .in(of(DType::kF32, {0.73, -0.58, 0.08, 1.06, 1.64, -1.4}, {2, 3}))
      .in(Tensor::of_ints({1}, {}));
  expect_near(node, "float32 2x3", {0.23, -0.5, 0.08, 1.3, 0.24, -1.4});
}

TEST(CumSum, runs_exclusive) {
  Node node("CumSum");
  node.attr("exclusive", int64_t{1})
      .attr("reverse", int64_t{0})
      .in(of(DType::kF32, {0.73, -0.58, 0.08, 1.06, 1.64, -1.4}, {2, 3}))
      .in(Tensor::of_ints({1}, {}));
  expect_near(node, "float32 2x3", {0, 0.73, 0.15, 0, 1.06, 2.7});
}

TEST(CumSum, runs_exclusive_reverse) {
  Node node("CumSum");
  node.attr("exclusive", int64_t{1})
      .attr("reverse", int64_t{1})
      .in(of(DType::kF32, {0.73, -0.58, 0.08, 1.06, 1.64, -1.4}, {2, 3}))
      .in(Tensor::of_ints({1}, {}));
  expect_near(node, "float32 2x3", {-0.5, 0.08, 0, 0.24, -1.4, 0});
}

TEST(CumSum, counts_axes_from_the_end) {
  Node node("CumSum");
  node.in(Tensor::of_ints({-2, 7, -4, -9, 1, 4}, {3, 2})).in(Tensor::of_ints({-2}, {}));
  expect_near(node, "int64 3x2", {-2, 7, -6, -2, -5, 2});
}

TEST(CumSum, checks_its_axis) {
  EXPECT_EQ(Node("CumSum").in(type("[b, 3]")).in(scalar(1)).inferred(), "float32[b, 3]");
  EXPECT_EQ(Node("CumSum").in(iota({2})).in(scalar(1)).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("CumSum").in(iota({2})).in(vec({0, 0})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("CumSum").in(iota({0, 2})).in(scalar(0)).ran(), "float32 0x2");
}

}  // namespace
}  // namespace npugraph::testing
