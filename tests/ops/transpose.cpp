// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Transpose, permutes) {
  Node node("Transpose");
  node.attr("perm", Ints{2, 0, 1}).in(iota({2, 1, 3}));
  EXPECT_EQ(node.ran(), "float32 3x2x1");
  EXPECT_EQ(node.result(), (Values{0, 3, 1, 4, 2, 5}));
}

TEST(Transpose, reverses_by_default_for_every_width) {
  for (const DType dtype : {DType::kU8, DType::kF16, DType::kI32, DType::kF64, DType::kU4})
    EXPECT_EQ(Node("Transpose").in(iota({2, 3}, dtype)).result(), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Node("Transpose").in(type("[b, c, 4]")).inferred(), "float32[4, c, b]");
}

TEST(Transpose, takes_scalars_and_empty_tensors) {
  EXPECT_EQ(Node("Transpose").in(scalar(5)).result(), (Values{5}));
  EXPECT_EQ(Node("Transpose").in(iota({2, 0, 3})).ran(), "float32 3x0x2");
}

TEST(Transpose, refuses_what_is_no_permutation) {
  EXPECT_EQ(Node("Transpose").attr("perm", Ints{0, 0}).in(iota({2, 2})).inferred(), "BadAttribute");
  EXPECT_EQ(Node("Transpose").attr("perm", Ints{0}).in(iota({2, 2})).inferred(), "BadAttribute");
  EXPECT_EQ(Node("Transpose").attr("perm", Ints{-1, 0}).in(iota({2, 2})).inferred(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
