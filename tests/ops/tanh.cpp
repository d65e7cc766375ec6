// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Tanh, agrees_with_a_peer) {
  Node node("Tanh");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.7615942, -0.7615942, 0.4621172, -0.635149, 0.9866143, -0.9981779, 0.9999955}, 0,
              3e-6);
}

TEST(Tanh, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Tanh").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(), "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Tanh").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
