// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Unsqueeze, inserts_at_places_of_the_output) {
  EXPECT_EQ(Node("Unsqueeze").in(type("[b, 4]")).dims("[0, -1]").inferred(), "float32[1, b, 4, 1]");
  EXPECT_EQ(Node("Unsqueeze").in(iota({3})).in(vec({2, 0})).ran(), "float32 1x3x1");
}

TEST(Unsqueeze, carries_content) {
  EXPECT_EQ(Node("Unsqueeze").in(scalar(7)).dims("[0]").inferred(), "int64[1] = [7]");
}

TEST(Unsqueeze, unknown_axes_give_late_dims) {
  EXPECT_EQ(Node("Unsqueeze").in(type("[2]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
}

TEST(Unsqueeze, refuses_wrong_axes) {
  EXPECT_EQ(Node("Unsqueeze").in(type("[2]")).dims("[3]").inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("Unsqueeze").in(type("[2]")).dims("[1, 1]").inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
