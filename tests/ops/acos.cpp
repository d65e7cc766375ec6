// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Acos, agrees_with_numpy) {
  Node node("Acos");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8", {1.570796, 0, 3.141593, 1.047198, 2.418858, kNaN, kNaN, kNaN});
}

TEST(Acos, keeps_to_ieee_at_the_ends) {
  Node node("Acos");
  node.in(of(DType::kF32, {kNaN, kInf, -kInf}, {3}));
  expect_near(node, "float32 3", {kNaN, kNaN, kNaN});
}

TEST(Acos, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Acos").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Acos").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
