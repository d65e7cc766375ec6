// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Flatten, multiplies_both_sides) {
  EXPECT_EQ(Node("Flatten").in(type("[b, c, 7, 7]")).inferred(), "float32[b, 49*c]");
  EXPECT_EQ(Node("Flatten").attr("axis", int64_t{-1}).in(type("[2, 3, 4]")).inferred(),
            "float32[6, 4]");
  EXPECT_EQ(Node("Flatten").attr("axis", int64_t{0}).in(type("[]")).inferred(), "float32[1, 1]");
  EXPECT_EQ(Node("Flatten").attr("axis", int64_t{2}).in(type("[2, 3]")).inferred(),
            "float32[6, 1]");
}

TEST(Flatten, keeps_elements) {
  EXPECT_EQ(Node("Flatten").in(iota({2, 3, 2})).result(), values(iota({12})));
}

TEST(Flatten, refuses_an_axis_outside) {
  EXPECT_EQ(Node("Flatten").attr("axis", int64_t{4}).in(type("[2, 3]")).inferred(),
            "AxisOutsideRank");
}

}  // namespace
}  // namespace npugraph::testing
