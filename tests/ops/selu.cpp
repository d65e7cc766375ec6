// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Selu, agrees_with_a_peer) {
  Node node("Selu");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 1.050701, -1.111331, 0.5253505, -0.927632, 2.626753, -1.705009, 6.829556}, 0,
              2e-6);
}

TEST(Selu, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Selu").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(), "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Selu").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
