// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Sin, agrees_with_numpy) {
  Node node("Sin");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8",
              {0, 0.841471, -0.841471, 0.4794255, -0.6816388, 0.5984721, 0.3507832, 0.9489846});
}

TEST(Sin, keeps_to_ieee_at_the_ends) {
  Node node("Sin");
  node.in(of(DType::kF32, {kNaN}, {1}));
  expect_near(node, "float32 1", {kNaN});
}

TEST(Sin, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Sin").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Sin").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
