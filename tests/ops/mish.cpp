// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Mish, agrees_with_a_peer) {
  Node node("Mish");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.8650985, -0.3034014, 0.3752452, -0.2764947, 2.471392, -0.1040957, 6.49997}, 0,
              3e-6);
}

TEST(Mish, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Mish").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(), "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Mish").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
