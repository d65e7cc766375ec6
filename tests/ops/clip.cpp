// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Clip, limits_both_sides) {
  Node node("Clip");
  node.in(of(DType::kF32, {-0.13, 0.19, -0.71, 1.01, -1.9, -0.51}, {2, 3}))
      .in(of(DType::kF32, {-0.5}, {}))
      .in(of(DType::kF32, {0.5}, {}));
  expect_near(node, "float32 2x3", {-0.13, 0.19, -0.5, 0.5, -0.5, -0.5});
}

TEST(Clip, may_have_one_bound) {
  Node node("Clip");
  node.in(of(DType::kF32, {-1.88, -1.51, 1.87, 0.63, -0.29, 0.09}, {2, 3}))
      .absent()
      .in(of(DType::kF32, {0.5}, {}));
  expect_near(node, "float32 2x3", {-1.88, -1.51, 0.5, 0.5, -0.29, 0.09});
}

TEST(Clip, may_have_no_bound) {
  Node node("Clip");
  node.in(of(DType::kF32, {1.49, -0.62, 0.36}, {3}));
  expect_near(node, "float32 3", {1.49, -0.62, 0.36});
}

TEST(Clip, takes_integers) {
  Node node("Clip");
  node.in(Tensor::of_ints({-5, 0, 5}, {3}))
      .in(Tensor::of_ints({-1}, {}))
      .in(Tensor::of_ints({3}, {}));
  expect_near(node, "int64 3", {-1, 0, 3});
}

TEST(Clip, gives_high_where_the_bounds_cross) {
  Node node("Clip");
  node.in(of(DType::kF32, {-5, 0, 5}, {3}))
      .in(of(DType::kF32, {3}, {}))
      .in(of(DType::kF32, {1}, {}));
  expect_near(node, "float32 3", {1, 1, 1});
}

TEST(Clip, keeps_nan_and_carries_content) {
  EXPECT_TRUE(std::isnan(
      Node("Clip").in(of(DType::kF32, {kNaN}, {1})).in(of(DType::kF32, {0}, {})).result().at(0)));
  EXPECT_EQ(Node("Clip").dims("[b + 2, 9]").in(scalar(1)).in(scalar(5)).inferred(),
            "int64[2] = [min(5, b + 2), 5]");
}

TEST(Clip, refuses_bounds_that_are_no_scalars) {
  EXPECT_EQ(Node("Clip").in(iota({2})).in(iota({2})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Clip").in(iota({2})).in(type("[n]")).inferred(), "float32[2]");
}

}  // namespace
}  // namespace npugraph::testing
