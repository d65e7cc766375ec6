// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(NonZero, gives_one_column_an_element) {
  Node node("NonZero");
  node.in(of(DType::kF32, {1, 0, 0, -2, 0, 3}, {2, 3}));
  EXPECT_EQ(node.ran(), "int64 2x3");
  EXPECT_EQ(node.result(), (Values{0, 1, 1, 0, 0, 2}));
}

TEST(NonZero, is_late_until_the_data_is_known) {
  EXPECT_EQ(Node("NonZero").in(type("[b, 3]", DType::kBool)).inferred(), "int64[2, late.node.0]");
}

TEST(NonZero, takes_scalars_and_empty_tensors) {
  EXPECT_EQ(Node("NonZero").in(scalar(4)).ran(), "int64 0x1");
  EXPECT_EQ(Node("NonZero").in(iota({0, 2})).ran(), "int64 2x0");
}

}  // namespace
}  // namespace npugraph::testing
