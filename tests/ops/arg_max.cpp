// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ArgMax, takes_the_first) {
  Node node("ArgMax");
  node.attr("axis", int64_t{1}).in(of(DType::kF32, {3, 1, 3, 1, 2, 5, 5, 2}, {2, 4}));
  expect_near(node, "int64 2x1", {0, 1});
}

TEST(ArgMax, takes_the_last) {
  Node node("ArgMax");
  node.attr("axis", int64_t{-1})
      .attr("select_last_index", int64_t{1})
      .attr("keepdims", int64_t{0})
      .in(of(DType::kF32, {3, 1, 3, 1, 2, 5, 5, 2}, {2, 4}));
  expect_near(node, "int64 2", {2, 2});
}

TEST(ArgMax, works_along_any_axis) {
  Node node("ArgMax");
  node.attr("axis", int64_t{0})
      .in(of(DType::kF32,
             {1.01, 0.32, -0.8, -1.69, 1.05, -1.48, -1.47, -1.48, -1.67, 1.63, -0.92, -0.77},
             {3, 2, 2}));
  expect_near(node, "int64 1x2x2", {1, 2, 0, 2});
}

TEST(ArgMax, takes_integers) {
  Node node("ArgMax");
  node.attr("axis", int64_t{1})
      .in(Tensor::of_ints({4, 5, -1, 2, 6, -6, -9, -2, -6, 6, 6, -3}, {3, 4}));
  expect_near(node, "int64 3x1", {1, 0, 1});
}

TEST(ArgMax, checks_its_axis) {
  EXPECT_EQ(Node("ArgMax").attr("axis", int64_t{1}).in(type("[b, t]")).inferred(), "int64[b, 1]");
  EXPECT_EQ(Node("ArgMax").attr("axis", int64_t{2}).in(type("[b, t]")).inferred(),
            "AxisOutsideRank");
  EXPECT_EQ(Node("ArgMax").in(iota({0, 2})).inferred(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
