// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Neg, takes_floats) {
  Node node("Neg");
  node.in(of(DType::kF32, {0, 1.5, -2.5, kInf, -kInf}, {5}));
  expect_near(node, "float32 5", {-0.0, -1.5, 2.5, -kInf, kInf});
}

TEST(Neg, takes_integers) {
  Node node("Neg");
  node.in(Tensor::of_ints({0, 3, -4}, {3}));
  expect_near(node, "int64 3", {0, -3, 4});
}

TEST(Neg, takes_int8) {
  Node node("Neg");
  node.in(of(DType::kI8, {0, 3, -4, -127}, {4}));
  expect_near(node, "int8 4", {0, -3, 4, 127});
}

TEST(Neg, wraps_the_smallest_integer) {
  EXPECT_EQ(Node("Neg").in(of(DType::kI8, {-128}, {1})).result(), (Values{-128}));
  EXPECT_EQ(Node("Neg").dims("[b, -3]").inferred(), "int64[2] = [-b, 3]");
}

}  // namespace
}  // namespace npugraph::testing
