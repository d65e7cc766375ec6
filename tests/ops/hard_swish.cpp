// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(HardSwish, agrees_with_a_peer) {
  Node node("HardSwish");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.6666667, -0.3333333, 0.2916667, -0.28125, 2.291667, -0.0, 6.5}, 0, 2e-6);
}

TEST(HardSwish, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("HardSwish").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("HardSwish").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
