// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Softplus, agrees_with_a_peer) {
  Node node("Softplus");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0.6931472, 1.313262, 0.3132617, 0.974077, 0.386871, 2.57889, 0.02975042, 6.501503},
              0, 2e-6);
}

TEST(Softplus, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Softplus").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Softplus").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

TEST(Softplus, does_not_overflow) {
  Node node("Softplus");
  node.in(of(DType::kF32, {1000, -1000}, {2}));
  expect_near(node, "float32 2", {1000, 0});
}

}  // namespace
}  // namespace npugraph::testing
