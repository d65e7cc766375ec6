// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(LRN, has_an_odd_neighbourhood) {
  Node node("LRN");
  node.attr("size", int64_t{3})
      .attr("alpha", 0.5)
      .attr("beta", 0.6)
      .attr("bias", 1.5)
      .in(of(DType::kF32, {-1.77, 1.09, -0.95, 0.79, -0.48, -0.71, -0.05, 0.12, 0.78, 0.55},
             {1, 5, 1, 2}));
  expect_near(node, "float32 1x5x1x2",
              {-1.111193, 0.7655416, -0.5901661, 0.5398774, -0.3504511, -0.5181547, -0.03715603,
               0.08928501, 0.5879318, 0.4223676});
}

TEST(LRN, has_an_even_neighbourhood) {
  Node node("LRN");
  node.attr("size", int64_t{4})
      .attr("alpha", 0.5)
      .in(of(DType::kF32, {-1.77, 1.09, -0.95, 0.79, -0.48, -0.71, -0.05, 0.12, 0.78, 0.55},
             {1, 5, 1, 2}));
  expect_near(node, "float32 1x5x1x2",
              {-1.284603, 0.9007432, -0.6893707, 0.6521497, -0.4140115, -0.6268605, -0.04638744,
               0.111522, 0.7381178, 0.5342064});
}

TEST(LRN, may_span_all_channels) {
  Node node("LRN");
  node.attr("size", int64_t{99})
      .attr("alpha", 0.5)
      .in(of(DType::kF32, {-1.77, 1.09, -0.95, 0.79, -0.48, -0.71, -0.05, 0.12, 0.78, 0.55},
             {1, 5, 1, 2}));
  expect_near(node, "float32 1x5x1x2",
              {-1.737993, 1.079253, -0.9328211, 0.7822109, -0.4713201, -0.7029997, -0.04909585,
               0.1188169, 0.7658952, 0.5445772});
}

TEST(LRN, needs_a_size) {
  EXPECT_EQ(Node("LRN").attr("size", int64_t{5}).in(type("[n, c, h, w]")).inferred(),
            "float32[n, c, h, w]");
  EXPECT_EQ(Node("LRN").in(type("[n, c]")).inferred(), "BadAttribute");
  EXPECT_EQ(Node("LRN").attr("size", int64_t{0}).in(type("[n, c]")).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
