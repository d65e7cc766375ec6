// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Elu, agrees_with_a_peer) {
  Node node("Elu");
  node.attr("alpha", 1.5).in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, -0.9481808, 0.5, -0.7914501, 2.5, -1.454704, 6.5}, 0, 2e-6);
}

TEST(Elu, has_default_attributes) {
  Node node("Elu");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, -0.6321205, 0.5, -0.5276334, 2.5, -0.9698026, 6.5});
}

TEST(Elu, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Elu").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(), "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Elu").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
