// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Squeeze, drops_the_named_axes) {
  EXPECT_EQ(Node("Squeeze").in(type("[1, b, 1, 4]")).dims("[0, -2]").inferred(), "float32[b, 4]");
  EXPECT_EQ(Node("Squeeze").in(type("[h, 4]")).dims("[0]").inferred(), "float32[4]");
}

TEST(Squeeze, without_axes_drops_every_one) {
  EXPECT_EQ(Node("Squeeze").in(iota({1, 3, 1})).ran(), "float32 3");
  EXPECT_EQ(Node("Squeeze").in(type("[1, b]")).inferred(), "float32[*]");
}

TEST(Squeeze, carries_content) {
  EXPECT_EQ(Node("Squeeze").dims("[b + 1]").dims("[0]").inferred(), "int64[] = [b + 1]");
}

TEST(Squeeze, unknown_axes_give_late_dims) {
  EXPECT_EQ(Node("Squeeze").in(type("[1, 2, 1]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
}

TEST(Squeeze, refuses_wrong_axes) {
  EXPECT_EQ(Node("Squeeze").in(type("[2, 1]")).dims("[0]").inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Squeeze").in(type("[1, 1]")).dims("[0, -2]").inferred(), "BadAttribute");
  EXPECT_EQ(Node("Squeeze").in(type("[1, 1]")).dims("[2]").inferred(), "AxisOutsideRank");
}

}  // namespace
}  // namespace npugraph::testing
