// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Sum, takes_any_number_of_inputs) {
  Node node("Sum");
  node.in(of(DType::kF32, {0.71, -1.4, -0.24, -1.04, -0.39, -1.61}, {2, 3}))
      .in(of(DType::kF32, {1.87, -1.14, 0.69}, {3}))
      .in(of(DType::kF32, {-0.8, 1.5}, {2, 1}));
  expect_near(node, "float32 2x3", {1.78, -3.34, -0.35, 2.33, -0.02999997, 0.58});
}

TEST(Sum, takes_one_input) {
  Node node("Sum");
  node.in(of(DType::kF32, {0.65, -1.47, 1.38, 1.78}, {2, 2}));
  expect_near(node, "float32 2x2", {0.65, -1.47, 1.38, 1.78});
}

TEST(Sum, broadcasts_symbolic_shapes) {
  EXPECT_EQ(Node("Sum").in(type("[b, 1]")).in(type("[1, t]")).in(type("[]")).inferred(),
            "float32[b, t]");
  EXPECT_EQ(Node("Sum").in(type("[2]")).in(type("[3]")).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Sum").inferred(), "BadArity");
}

}  // namespace
}  // namespace npugraph::testing
