// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Split, takes_lengths) {
  Node node("Split");
  node.attr("axis", int64_t{1}).outputs(2).in(iota({2, 3})).in(vec({1, 2}));
  EXPECT_EQ(node.result(0), (Values{0, 3}));
  EXPECT_EQ(node.result(1), (Values{1, 2, 4, 5}));
}

TEST(Split, equal_parts_with_a_shorter_last_one) {
  Node node("Split");
  node.attr("num_outputs", int64_t{4}).outputs(4).in(iota({7}));
  EXPECT_EQ(node.result(0), (Values{0, 1}));
  EXPECT_EQ(node.result(3), (Values{6}));
}

TEST(Split, takes_symbolic_dims) {
  EXPECT_EQ(Node("Split").outputs(2).in(type("[4*b, 3]")).inferred(1), "float32[2*b, 3]");
  EXPECT_EQ(Node("Split").outputs(2).in(type("[b]")).inferred(1), "float32[b - ceildiv(b, 2)]");
  EXPECT_EQ(Node("Split").outputs(2).in(type("[b]")).in(type("[2]", DType::kI64)).inferred(1),
            "float32[late.node.1]");
}

TEST(Split, carries_content) {
  EXPECT_EQ(Node("Split").outputs(2).dims("[b, 3, t]").in(vec({1, 2})).inferred(1),
            "int64[2] = [3, t]");
}

TEST(Split, refuses_parts_that_do_not_fill) {
  EXPECT_EQ(Node("Split").outputs(2).in(iota({3})).in(vec({1, 1})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Split").outputs(2).in(iota({3})).in(vec({4, -1})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Split").outputs(2).in(iota({3})).in(vec({3})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Split").attr("num_outputs", int64_t{3}).outputs(2).in(iota({3})).inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("Split").outputs(4).in(iota({2})).inferred(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
