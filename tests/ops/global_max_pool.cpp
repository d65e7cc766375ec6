// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(GlobalMaxPool, reduces_images) {
  Node node("GlobalMaxPool");
  node.in(of(DType::kF32,
             {1.75, -0.68, 0.28,  -1.98, -0.51, 1.84,  -1.52, 1.48,  0.61, -0.82, 1.11, -0.84,
              1.58, -1.67, -1.52, 1,     -0.2,  -1.41, 0.05,  -0.81, 0.2,  0.97,  1.43, -1.76},
             {2, 3, 2, 2}));
  expect_near(node, "float32 2x3x1x1", {1.75, 1.84, 1.11, 1.58, 0.05, 1.43});
}

TEST(GlobalMaxPool, reduces_signals) {
  Node node("GlobalMaxPool");
  node.in(of(DType::kF32, {-1.77, 0.86, -1.21, -0.94, -0.7, 0.37, 0.51, 1.73, -1.95, -1.23},
             {1, 2, 5}));
  expect_near(node, "float32 1x2x1", {0.86, 1.73});
}

TEST(GlobalMaxPool, infers_symbolic_shapes) {
  EXPECT_EQ(Node("GlobalMaxPool").in(type("[n, c, h, w]")).inferred(), "float32[n, c, 1, 1]");
  EXPECT_EQ(Node("GlobalMaxPool").in(type("[n]")).inferred(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
