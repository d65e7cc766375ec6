// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(HardSigmoid, agrees_with_a_peer) {
  Node node("HardSigmoid");
  node.attr("alpha", 0.25)
      .attr("beta", 0.4)
      .in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0.4, 0.65, 0.15, 0.525, 0.2125, 1, 0, 1}, 0, 2e-6);
}

TEST(HardSigmoid, has_default_attributes) {
  Node node("HardSigmoid");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0.5, 0.7, 0.3, 0.6, 0.35, 1, 0, 1});
}

TEST(HardSigmoid, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("HardSigmoid").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("HardSigmoid").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
