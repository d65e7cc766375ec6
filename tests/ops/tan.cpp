// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Tan, agrees_with_numpy) {
  Node node("Tan");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8",
              {0, 1.557408, -1.557408, 0.5463025, -0.9315965, -0.7470223, -0.3745856, 3.00957});
}

TEST(Tan, keeps_to_ieee_at_the_ends) {
  Node node("Tan");
  node.in(of(DType::kF32, {kNaN}, {1}));
  expect_near(node, "float32 1", {kNaN});
}

TEST(Tan, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Tan").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Tan").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
