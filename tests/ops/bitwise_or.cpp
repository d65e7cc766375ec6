// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(BitwiseOr, works_bit_by_bit) {
  Node node("BitwiseOr");
  node.in(Tensor::of_ints({12, -1, 7, 1099511627776}, {2, 2})).in(Tensor::of_ints({10, 6}, {2}));
  expect_near(node, "int64 2x2", {14, -1, 15, 1099511627782});
}

TEST(BitwiseOr, broadcasts_symbolic_shapes) {
  EXPECT_EQ(Node("BitwiseOr")
                .in(type("[b, 1, t]", DType::kI32))
                .in(type("[3, 1]", DType::kI32))
                .inferred(),
            "int32[b, 3, t]");
  EXPECT_EQ(
      Node("BitwiseOr").in(type("[2, 3]", DType::kI32)).in(type("[2]", DType::kI32)).inferred(),
      "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
