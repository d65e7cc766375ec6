// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Reshape, keeps_elements_and_order) {
  Node node("Reshape");
  node.in(iota({2, 3, 4})).in(vec({4, 0, -1}));
  EXPECT_EQ(node.ran(), "float32 4x3x2");
  EXPECT_EQ(node.result(), values(iota({24})));
}

TEST(Reshape, zero_copies_a_dim_or_is_one) {
  EXPECT_EQ(Node("Reshape").in(type("[b, t, 8]")).dims("[0, 0, 2, 4]").inferred(),
            "float32[b, t, 2, 4]");
  EXPECT_EQ(
      Node("Reshape").attr("allowzero", int64_t{1}).in(iota({0, 5})).dims("[5, 0]").inferred(),
      "float32[5, 0]");
  EXPECT_EQ(Node("Reshape").in(type("[b, 2]")).dims("[2, -1, 0]").inferred(), "ShapeMismatch");
}

TEST(Reshape, minus_one_divides_expressions) {
  EXPECT_EQ(Node("Reshape").in(type("[b, t, 64]")).dims("[b, -1, 4, 16]").inferred(),
            "float32[b, t, 4, 16]");
  EXPECT_EQ(Node("Reshape").in(type("[b, t, 64]")).dims("[-1, 32]").inferred(),
            "float32[2*b*t, 32]");
  EXPECT_EQ(Node("Reshape").in(type("[b]")).dims("[-1, 4]").inferred(),
            "float32[floordiv(b, 4), 4]");
}

TEST(Reshape, unknown_shape_gives_late_dims) {
  EXPECT_EQ(Node("Reshape").in(type("[b, 2]")).in(type("[2]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("Reshape").in(type("[b, 2]")).in(type("[n]", DType::kI64)).inferred(),
            "float32[*]");
}

TEST(Reshape, carries_content) {
  EXPECT_EQ(Node("Reshape").dims("[b, t]").dims("[2, 1]").inferred(), "int64[2, 1] = [b, t]");
}

TEST(Reshape, refuses_what_does_not_fit) {
  EXPECT_EQ(Node("Reshape").in(iota({6})).dims("[4, -1]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Reshape").in(iota({6})).dims("[-1, -1]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Reshape").in(iota({6})).dims("[-2, 3]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Reshape").in(iota({6})).dims("[5]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Reshape").in(type("[12*b]")).dims("[12*b + 4]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Reshape").attr("allowzero", int64_t{2}).in(iota({6})).dims("[6]").inferred(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
