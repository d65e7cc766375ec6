// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Exp, agrees_with_numpy) {
  Node node("Exp");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8",
              {1, 2.718282, 0.3678795, 1.648721, 0.4723665, 12.18249, 0.03019738, 3.490343});
}

TEST(Exp, keeps_to_ieee_at_the_ends) {
  Node node("Exp");
  node.in(of(DType::kF32, {kNaN, kInf, -kInf}, {3}));
  expect_near(node, "float32 3", {kNaN, kInf, 0});
}

TEST(Exp, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Exp").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Exp").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
