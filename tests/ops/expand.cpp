// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Expand, broadcasts_both_ways) {
  Node node("Expand");
  node.in(iota({2, 1})).in(vec({3, 1, 2}));
  EXPECT_EQ(node.ran(), "float32 3x2x2");
  EXPECT_EQ(node.result(), (Values{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(Node("Expand").in(type("[b, 4]")).dims("[1, 1]").inferred(), "float32[b, 4]");
}

TEST(Expand, takes_symbolic_dims) {
  EXPECT_EQ(Node("Expand").in(type("[1, t]")).dims("[b, t]").inferred(), "float32[b, t]");
  EXPECT_EQ(Node("Expand").in(type("[1]", DType::kI64)).in(type("[2]", DType::kI64)).inferred(),
            "int64[late.node.0, late.node.1]");
}

TEST(Expand, carries_content) {
  EXPECT_EQ(Node("Expand").dims("[b]").dims("[3]").inferred(), "int64[3] = [b, b, b]");
}

TEST(Expand, refuses_what_does_not_broadcast) {
  EXPECT_EQ(Node("Expand").in(iota({2})).dims("[3]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Expand").in(iota({2})).dims("[-1]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Expand").in(iota({1})).in(vec({1 << 20, 1 << 20, 1 << 20, 1 << 20})).ran(),
            "SizeOverflow");
}

}  // namespace
}  // namespace npugraph::testing
