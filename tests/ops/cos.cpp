// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Cos, agrees_with_numpy) {
  Node node("Cos");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8",
              {1, 0.5403023, 0.5403023, 0.8775826, 0.7316889, -0.8011436, -0.9364567, 0.3153224});
}

TEST(Cos, keeps_to_ieee_at_the_ends) {
  Node node("Cos");
  node.in(of(DType::kF32, {kNaN}, {1}));
  expect_near(node, "float32 1", {kNaN});
}

TEST(Cos, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Cos").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Cos").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
