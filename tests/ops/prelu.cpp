// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(PRelu, has_a_slope_for_each_channel) {
  Node node("PRelu");
  node.in(of(DType::kF32, {0.5, 1.59, 1.1, -1.1, -0.8, 1.49, -1.98, 1.28}, {1, 2, 2, 2}))
      .in(of(DType::kF32, {1.19, -0.13}, {2, 1, 1}));
  expect_near(node, "float32 1x2x2x2", {0.5, 1.59, 1.1, -1.309, 0.104, 1.49, 0.2574, 1.28});
}

TEST(PRelu, takes_integers) {
  Node node("PRelu");
  node.in(Tensor::of_ints({-3, 2, -1}, {3})).in(Tensor::of_ints({2, 2, -5}, {3}));
  expect_near(node, "int64 3", {-6, 2, 5});
}

TEST(PRelu, broadcasts_the_slope_only) {
  EXPECT_EQ(Node("PRelu").in(type("[b, 8, h, w]")).in(type("[8, 1, 1]")).inferred(),
            "float32[b, 8, h, w]");
  EXPECT_EQ(Node("PRelu").in(iota({2, 1})).in(iota({2, 3})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("PRelu").in(iota({3})).in(iota({2, 3})).inferred(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
