// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ArgMin, takes_the_first) {
  Node node("ArgMin");
  node.attr("axis", int64_t{1}).in(of(DType::kF32, {3, 1, 3, 1, 2, 5, 5, 2}, {2, 4}));
  expect_near(node, "int64 2x1", {1, 0});
}

TEST(ArgMin, takes_the_last) {
  Node node("ArgMin");
  node.attr("axis", int64_t{-1})
      .attr("select_last_index", int64_t{1})
      .attr("keepdims", int64_t{0})
      .in(of(DType::kF32, {3, 1, 3, 1, 2, 5, 5, 2}, {2, 4}));
  expect_near(node, "int64 2", {3, 3});
}

TEST(ArgMin, works_along_any_axis) {
  Node node("ArgMin");
  node.attr("axis", int64_t{0})
      .in(of(DType::kF32,
             {0.84, -1.61, 0.91, 1.11, 1.3, 0.7, -0.52, -1.74, 0.08, 1.03, -1.24, -0.94},
             {3, 2, 2}));
  expect_near(node, "int64 1x2x2", {2, 0, 2, 1});
}

TEST(ArgMin, takes_integers) {
  Node node("ArgMin");
  node.attr("axis", int64_t{1})
      .in(Tensor::of_ints({4, 0, -6, 4, 2, 7, 1, -7, 6, -6, -9, 5}, {3, 4}));
  expect_near(node, "int64 3x1", {2, 3, 2});
}

TEST(ArgMin, checks_its_axis) {
  EXPECT_EQ(Node("ArgMin").attr("axis", int64_t{1}).in(type("[b, t]")).inferred(), "int64[b, 1]");
  EXPECT_EQ(Node("ArgMin").attr("axis", int64_t{2}).in(type("[b, t]")).inferred(),
            "AxisOutsideRank");
  EXPECT_EQ(Node("ArgMin").in(iota({0, 2})).inferred(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
