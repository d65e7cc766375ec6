// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Abs, takes_floats) {
  Node node("Abs");
  node.in(of(DType::kF32, {0, 1.5, -2.5, kInf, -kInf}, {5}));
  expect_near(node, "float32 5", {0, 1.5, 2.5, kInf, kInf});
}

TEST(Abs, takes_integers) {
  Node node("Abs");
  node.in(Tensor::of_ints({0, 3, -4}, {3}));
  expect_near(node, "int64 3", {0, 3, 4});
}

TEST(Abs, takes_int8) {
  Node node("Abs");
  node.in(of(DType::kI8, {0, 3, -4, -127}, {4}));
  expect_near(node, "int8 4", {0, 3, 4, 127});
}

TEST(Abs, keeps_unsigned_integers) {
  EXPECT_EQ(Node("Abs").in(of(DType::kU64, {0x1p63}, {1})).result(), (Values{0x1p63}));
  EXPECT_EQ(Node("Abs").dims("[b, -3, -2*b]").inferred(), "int64[3] = [b, 3, 2*b]");
  EXPECT_EQ(Node("Abs").dims("[b - 3]").inferred(), "int64[1]");
}

}  // namespace
}  // namespace npugraph::testing
