// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Sigmoid, agrees_with_a_peer) {
  Node node("Sigmoid");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0.5, 0.7310586, 0.2689414, 0.6224593, 0.3208213, 0.9241418, 0.02931219, 0.9984988},
              0, 3e-6);
}

TEST(Sigmoid, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Sigmoid").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(),
            "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Sigmoid").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

TEST(Sigmoid, does_not_overflow) {
  Node node("Sigmoid");
  node.in(of(DType::kF32, {1000, -1000, -80}, {3}));
  expect_near(node, "float32 3", {1, 0, 1.804851e-35});
}

}  // namespace
}  // namespace npugraph::testing
