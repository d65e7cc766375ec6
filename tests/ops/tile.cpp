// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Tile, repeats_each_axis) {
  Node node("Tile");
  node.in(iota({2, 2})).in(vec({1, 2}));
  EXPECT_EQ(node.ran(), "float32 2x4");
  EXPECT_EQ(node.result(), (Values{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(Node("Tile").in(iota({2})).in(vec({0})).ran(), "float32 0");
}

TEST(Tile, takes_symbolic_repeats) {
  EXPECT_EQ(Node("Tile").in(type("[t, 2]")).dims("[b, 3]").inferred(), "float32[b*t, 6]");
  EXPECT_EQ(Node("Tile").in(type("[t]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0]");
}

TEST(Tile, refuses_wrong_repeats) {
  EXPECT_EQ(Node("Tile").in(iota({2})).in(vec({1, 1})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Tile").in(iota({2})).in(vec({-1})).inferred(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
