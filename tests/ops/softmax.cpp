// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Softmax, works_along_any_axis) {
  Node node("Softmax");
  node.attr("axis", int64_t{1})
      .in(of(DType::kF32,
             {0.52, 0.06, -0.01, -1.01, -1.95, -1.23, 0.77, -1.2, -0.52, -1.99, 1.32, -1.38},
             {2, 3, 2}));
  expect_near(node, "float32 2x3x2",
              {0.5976608, 0.6179403, 0.3517861, 0.2119588, 0.05055305, 0.1701009, 0.3323889,
               0.4368501, 0.09149697, 0.1982621, 0.5761142, 0.3648879});
}

TEST(Softmax, does_not_overflow) {
  Node node("Softmax");
  node.in(of(DType::kF32, {1000, 1001}, {1, 2}));
  expect_near(node, "float32 1x2", {0.2689414, 0.7310586});
}

TEST(Softmax, checks_its_axis) {
  EXPECT_EQ(Node("Softmax").in(type("[b, t]")).inferred(), "float32[b, t]");
  EXPECT_EQ(Node("Softmax").attr("axis", int64_t{2}).in(iota({2, 3})).inferred(),
            "AxisOutsideRank");
  EXPECT_EQ(Node("Softmax").in(iota({2, 0})).ran(), "float32 2x0");
}

}  // namespace
}  // namespace npugraph::testing
