// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Sign, takes_floats) {
  Node node("Sign");
  node.in(of(DType::kF32, {0, 1.5, -2.5, kInf, -kInf}, {5}));
  expect_near(node, "float32 5", {0, 1, -1, 1, -1});
}

TEST(Sign, takes_integers) {
  Node node("Sign");
  node.in(Tensor::of_ints({0, 3, -4}, {3}));
  expect_near(node, "int64 3", {0, 1, -1});
}

TEST(Sign, takes_int8) {
  Node node("Sign");
  node.in(of(DType::kI8, {0, 3, -4, -127}, {4}));
  expect_near(node, "int8 4", {0, 1, -1, -1});
}

TEST(Sign, keeps_nan_and_sees_uint64_as_unsigned) {
  EXPECT_TRUE(std::isnan(Node("Sign").in(of(DType::kF32, {kNaN}, {1})).result().at(0)));
  EXPECT_EQ(Node("Sign").in(of(DType::kU64, {0x1p63, 0}, {2})).result(), (Values{1, 0}));
  EXPECT_EQ(Node("Sign").dims("[5, -3, 0]").inferred(), "int64[3] = [1, -1, 0]");
}

}  // namespace
}  // namespace npugraph::testing
