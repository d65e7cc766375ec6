// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Softsign, agrees_with_a_peer) {
  Node node("Softsign");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.5, -0.5, 0.3333333, -0.4285715, 0.7142857, -0.7777778, 0.8666667}, 0, 2e-6);
}

TEST(Softsign, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Softsign").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Softsign").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
