// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Unique, sorts_and_counts) {
  Node node("Unique");
  node.outputs(4).in(of(DType::kF32, {2, 1, 1, 3, 4, 3}, {6}));
  EXPECT_EQ(node.result(0), (Values{1, 2, 3, 4}));
  EXPECT_EQ(node.result(1), (Values{1, 0, 3, 4}));
  EXPECT_EQ(node.result(2), (Values{1, 0, 0, 2, 3, 2}));
  EXPECT_EQ(node.result(3), (Values{2, 1, 2, 1}));
}

TEST(Unique, keeps_the_order_of_appearance) {
  Node node("Unique");
  node.attr("sorted", int64_t{0}).outputs(4).in(of(DType::kF32, {2, 1, 1, 3, 4, 3}, {6}));
  EXPECT_EQ(node.result(0), (Values{2, 1, 3, 4}));
  EXPECT_EQ(node.result(1), (Values{0, 1, 3, 4}));
  EXPECT_EQ(node.result(2), (Values{0, 1, 1, 2, 3, 2}));
  EXPECT_EQ(node.result(3), (Values{1, 2, 2, 1}));
}

// ONNX's example with an axis.
TEST(Unique, compares_slices) {
  Node node("Unique");
  node.attr("axis", int64_t{0}).outputs(4).in(of(DType::kF32, {1, 0, 0, 1, 0, 0, 2, 3, 4}, {3, 3}));
  EXPECT_EQ(node.ran(), "float32 2x3");
  EXPECT_EQ(node.result(0), (Values{1, 0, 0, 2, 3, 4}));
  EXPECT_EQ(node.result(1), (Values{0, 2}));
  EXPECT_EQ(node.result(2), (Values{0, 0, 1}));
  EXPECT_EQ(node.result(3), (Values{2, 1}));
}

TEST(Unique, is_late_until_the_data_is_known) {
  EXPECT_EQ(Node("Unique").outputs(3).in(type("[b, 2]")).inferred(2), "int64[2*b]");
  EXPECT_EQ(Node("Unique").in(type("[b, 2]")).inferred(), "float32[late.node.0]");
  EXPECT_EQ(Node("Unique").in(iota({0})).ran(), "float32 0");
}

}  // namespace
}  // namespace npugraph::testing
