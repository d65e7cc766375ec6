// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Dropout, is_the_identity_and_masks_nothing) {
  Node node("Dropout");
  node.in(of(DType::kF32, {0.71, -0.46, 0.71, -0.62, 0.43, -0.16}, {2, 3}))
      .in(of(DType::kF32, {0.3}, {}))
      .outputs(2);
  expect_near(node, "float32 2x3", {0.71, -0.46, 0.71, -0.62, 0.43, -0.16});
  expect_near(node, "bool 2x3", {1, 1, 1, 1, 1, 1}, 1);
}

TEST(Dropout, refuses_training) {
  const auto drop = [](double training) {
    return Node("Dropout").in(iota({2})).absent().in(of(DType::kBool, {training}, {})).ran();
  };
  EXPECT_EQ(drop(0), "float32 2");
  EXPECT_EQ(drop(1), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
