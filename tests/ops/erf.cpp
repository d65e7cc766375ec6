// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Erf, agrees_with_numpy) {
  Node node("Erf");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 1.25}, {8}));
  expect_near(node, "float32 8",
              {0, 0.8427008, -0.8427008, 0.5204999, -0.7111557, 0.999593, -0.9999993, 0.9229001});
}

TEST(Erf, keeps_to_ieee_at_the_ends) {
  Node node("Erf");
  node.in(of(DType::kF32, {kNaN, kInf, -kInf}, {3}));
  expect_near(node, "float32 3", {kNaN, 1, -1});
}

TEST(Erf, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Erf").in(type("[b, 2*t + 1]", DType::kF16)).inferred(), "float16[b, 2*t + 1]");
  EXPECT_EQ(Node("Erf").in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
