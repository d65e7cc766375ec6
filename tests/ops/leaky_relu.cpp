// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(LeakyRelu, agrees_with_a_peer) {
  Node node("LeakyRelu");
  node.attr("alpha", 0.1).in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, -0.1, 0.5, -0.075, 2.5, -0.35, 6.5}, 0, 2e-6);
}

TEST(LeakyRelu, has_default_attributes) {
  Node node("LeakyRelu");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, -0.01, 0.5, -0.0075, 2.5, -0.035, 6.5});
}

TEST(LeakyRelu, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("LeakyRelu").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("LeakyRelu").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
