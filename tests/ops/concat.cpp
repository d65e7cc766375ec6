// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Concat, joins_along_the_axis) {
  Node node("Concat");
  node.attr("axis", int64_t{-1}).in(iota({2, 1})).in(of(DType::kF32, {5, 6, 7, 8}, {2, 2}));
  EXPECT_EQ(node.ran(), "float32 2x3");
  EXPECT_EQ(node.result(), (Values{0, 5, 6, 1, 7, 8}));
}

TEST(Concat, takes_tensors_without_elements) {
  Node node("Concat");
  node.attr("axis", int64_t{0}).in(iota({0, 2})).in(iota({1, 2})).in(iota({0, 2}));
  EXPECT_EQ(node.result(), (Values{0, 1}));
}

TEST(Concat, adds_symbolic_dims_and_keeps_numbers) {
  EXPECT_EQ(Node("Concat")
                .attr("axis", int64_t{1})
                .in(type("[b, t]"))
                .in(type("[4, 2*t + 1]"))
                .inferred(),
            "float32[4, 3*t + 1]");
}

TEST(Concat, carries_content) {
  EXPECT_EQ(Node("Concat").attr("axis", int64_t{0}).dims("[b]").in(vec({-1, 3})).inferred(),
            "int64[3] = [b, -1, 3]");
  EXPECT_EQ(
      Node("Concat").attr("axis", int64_t{0}).dims("[b]").in(type("[1]", DType::kI64)).inferred(),
      "int64[2]");
}

TEST(Concat, refuses_what_does_not_join) {
  EXPECT_EQ(Node("Concat").attr("axis", int64_t{0}).in(iota({2, 2})).in(iota({2, 3})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Concat").attr("axis", int64_t{0}).in(iota({2})).in(iota({2, 3})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Concat").attr("axis", int64_t{2}).in(iota({2, 2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("Concat").in(iota({2, 2})).inferred(), "BadAttribute");
  EXPECT_EQ(Node("Concat").attr("axis", int64_t{0}).in(iota({2})).in(vec({1})).inferred(),
            "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
