// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(ConstantOfShape, fills) {
  EXPECT_EQ(Node("ConstantOfShape").in(vec({2, 1})).ran(), "float32 2x1");
  EXPECT_EQ(Node("ConstantOfShape").in(vec({2})).result(), (Values{0, 0}));
  EXPECT_EQ(Node("ConstantOfShape").attr("value", of(DType::kI8, {-3}, {1})).in(vec({2})).result(),
            (Values{-3, -3}));
  EXPECT_EQ(Node("ConstantOfShape").in(vec({})).ran(), "float32 scalar");
}

TEST(ConstantOfShape, takes_symbolic_dims_and_carries_content) {
  EXPECT_EQ(Node("ConstantOfShape").dims("[b, 2]").inferred(), "float32[b, 2]");
  EXPECT_EQ(Node("ConstantOfShape").attr("value", of(DType::kI64, {1}, {1})).dims("[2]").inferred(),
            "int64[2] = [1, 1]");
  EXPECT_EQ(Node("ConstantOfShape").in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0]");
}

TEST(ConstantOfShape, refuses_absurd_sizes) {
  EXPECT_EQ(Node("ConstantOfShape").in(vec({-1})).ran(), "ShapeMismatch");
  EXPECT_EQ(Node("ConstantOfShape").in(vec({int64_t{1} << 62, 8})).ran(), "SizeOverflow");
  EXPECT_EQ(Node("ConstantOfShape").in(vec({int64_t{1} << 50})).ran(), "SizeOverflow");
  EXPECT_EQ(Node("ConstantOfShape").in(vec(std::vector<int64_t>(65, 1))).ran(), "ShapeMismatch");
  EXPECT_EQ(Node("ConstantOfShape").attr("value", iota({2})).in(vec({2})).ran(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
