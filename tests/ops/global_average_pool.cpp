// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(GlobalAveragePool, reduces_images) {
  Node node("GlobalAveragePool");
  node.in(of(DType::kF32,
             {1.75, -0.68, 0.28,  -1.98, -0.51, 1.84,  -1.52, 1.48,  0.61, -0.82, 1.11, -0.84,
              1.58, -1.67, -1.52, 1,     -0.2,  -1.41, 0.05,  -0.81, 0.2,  0.97,  1.43, -1.76},
             {2, 3, 2, 2}));
  expect_near(node, "float32 2x3x1x1", {-0.1575, 0.3225001, 0.01500002, -0.1525, -0.5925, 0.21});
}

TEST(GlobalAveragePool, reduces_signals) {
  Node node("GlobalAveragePool");
  node.in(
      of(DType::kF32, {0.37, 1.93, -0.16, 1.08, -1.61, 1.49, 0.33, 1.55, 1.15, 1.48}, {1, 2, 5}));
  expect_near(node, "float32 1x2x1", {0.322, 1.2});
}

TEST(GlobalAveragePool, infers_symbolic_shapes) {
  EXPECT_EQ(Node("GlobalAveragePool").in(type("[n, c, h, w]")).inferred(), "float32[n, c, 1, 1]");
  EXPECT_EQ(Node("GlobalAveragePool").in(type("[n]")).inferred(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
