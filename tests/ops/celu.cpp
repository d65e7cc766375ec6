// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Celu, agrees_with_a_peer) {
  Node node("Celu");
  node.attr("alpha", 2.0).in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, -0.7869387, 0.5, -0.6254214, 2.5, -1.652452, 6.5}, 0, 2e-6);
}

TEST(Celu, has_default_attributes) {
  Node node("Celu");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, -0.6321205, 0.5, -0.5276334, 2.5, -0.9698026, 6.5});
}

TEST(Celu, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Celu").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(), "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Celu").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
