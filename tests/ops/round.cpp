// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Round, agrees_with_numpy) {
  Node node("Round");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8", {0, 1, -1, 0, -1, 2, -4, 1});
}

TEST(Round, keeps_to_ieee_at_the_ends) {
  Node node("Round");
  node.in(of(DType::kF32, {kNaN, kInf, -kInf}, {3}));
  expect_near(node, "float32 3", {kNaN, kInf, -kInf});
}

TEST(Round, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Round").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Round").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
