// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Where, picks_and_broadcasts) {
  Node node("Where");
  node.in(of(DType::kBool, {1, 0}, {2, 1})).in(iota({1, 2})).in(Tensor::scalar(DType::kF32, 9));
  EXPECT_EQ(node.ran(), "float32 2x2");
  EXPECT_EQ(node.result(), (Values{0, 1, 9, 9}));
}

TEST(Where, infers_symbolic_dims) {
  EXPECT_EQ(Node("Where")
                .in(type("[b, 1, t]", DType::kBool))
                .in(type("[1, 4, t]"))
                .in(type("[]"))
                .inferred(),
            "float32[b, 4, t]");
}

TEST(Where, carries_content_where_the_condition_is_known) {
  EXPECT_EQ(
      Node("Where").in(of(DType::kBool, {1, 0}, {2})).dims("[b, c]").in(vec({5, 6})).inferred(),
      "int64[2] = [b, 6]");
  EXPECT_EQ(Node("Where").in(type("[2]", DType::kBool)).dims("[b, c]").in(vec({5, 6})).inferred(),
            "int64[2]");
}

TEST(Where, refuses_other_dtypes) {
  EXPECT_EQ(Node("Where").in(vec({1})).in(iota({1})).in(iota({1})).inferred(), "DTypeMismatch");
  EXPECT_EQ(Node("Where").in(of(DType::kBool, {1}, {1})).in(iota({1})).in(vec({1})).inferred(),
            "DTypeMismatch");
  EXPECT_EQ(Node("Where").in(of(DType::kBool, {1}, {1})).in(iota({2})).in(iota({3})).inferred(),
            "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
