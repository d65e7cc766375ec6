// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Swish, agrees_with_a_peer) {
  Node node("Swish");
  node.attr("alpha", 1.5).in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.8175745, -0.1824255, 0.3395894, -0.1838138, 2.442557, -0.01827044, 6.499621}, 0,
              2e-6);
}

TEST(Swish, has_default_attributes) {
  Node node("Swish");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.7310586, -0.2689414, 0.3112297, -0.240616, 2.310354, -0.1025928, 6.490242});
}

TEST(Swish, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Swish").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Swish").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
