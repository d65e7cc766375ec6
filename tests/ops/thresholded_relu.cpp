// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ThresholdedRelu, agrees_with_a_peer) {
  Node node("ThresholdedRelu");
  node.attr("alpha", 0.6).in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, 0, 0, 0, 2.5, 0, 6.5}, 0, 2e-6);
}

TEST(ThresholdedRelu, has_default_attributes) {
  Node node("ThresholdedRelu");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 0, 0, 0, 0, 2.5, 0, 6.5});
}

TEST(ThresholdedRelu, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("ThresholdedRelu").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("ThresholdedRelu").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
