// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Asinh, agrees_with_numpy) {
  Node node("Asinh");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8",
              {0, 0.8813736, -0.8813736, 0.4812118, -0.6931472, 1.647231, -1.96572, 1.047593});
}

TEST(Asinh, keeps_to_ieee_at_the_ends) {
  Node node("Asinh");
  node.in(of(DType::kF32, {kNaN, kInf, -kInf}, {3}));
  expect_near(node, "float32 3", {kNaN, kInf, -kInf});
}

TEST(Asinh, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Asinh").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Asinh").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
