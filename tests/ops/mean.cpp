// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Mean, takes_any_number_of_inputs) {
  Node node("Mean");
  node.in(of(DType::kF32, {1.62, 0.28, -1.42, -1.23, 1.71, 0.21}, {2, 3}))
      .in(of(DType::kF32, {-1.28, 1.54, 0.57}, {3}))
      .in(of(DType::kF32, {0.28, -0.49}, {2, 1}));
  expect_near(node, "float32 2x3", {0.2066667, 0.7, -0.19, -1, 0.92, 0.09666666});
}

TEST(Mean, takes_one_input) {
  Node node("Mean");
  node.in(of(DType::kF32, {-0.36, -1.04, -1.85, 1.5}, {2, 2}));
  expect_near(node, "float32 2x2", {-0.36, -1.04, -1.85, 1.5});
}

TEST(Mean, broadcasts_symbolic_shapes) {
  EXPECT_EQ(Node("Mean").in(type("[b, 1]")).in(type("[1, t]")).in(type("[]")).inferred(),
            "float32[b, t]");
  EXPECT_EQ(Node("Mean").in(type("[2]")).in(type("[3]")).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Mean").inferred(), "BadArity");
}

}  // namespace
}  // namespace npugraph::testing
