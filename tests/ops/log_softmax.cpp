// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(LogSoftmax, works_along_any_axis) {
  Node node("LogSoftmax");
  node.attr("axis", int64_t{1})
      .in(of(DType::kF32,
             {-0.79, -0.89, -0.98, -0.22, 0.02, 0.21, 1.98, 1.17, 0.49, 1.96, -1.14, -1.36},
             {2, 3, 2}));
  expect_near(node, "float32 2x3x2",
              {-1.404838, -1.784802, -1.594838, -1.114802, -0.5948381, -0.6848025, -0.2386466,
               -1.188775, -1.728647, -0.3987745, -3.358646, -3.718775});
}

TEST(LogSoftmax, has_the_last_axis_by_default) {
  Node node("LogSoftmax");
  node.in(of(DType::kF32, {0.45, -1.82, -1.86, 0.06, -0.14, 1.67}, {2, 3}));
  expect_near(node, "float32 2x3",
              {-0.1844638, -2.454464, -2.494464, -1.920086, -2.120085, -0.3100856});
}

TEST(LogSoftmax, does_not_overflow) {
  Node node("LogSoftmax");
  node.in(of(DType::kF32, {1000, 1001}, {1, 2}));
  expect_near(node, "float32 1x2", {-1.313262, -0.3132617});
}

TEST(LogSoftmax, checks_its_axis) {
  EXPECT_EQ(Node("LogSoftmax").in(type("[b, t]")).inferred(), "float32[b, t]");
  EXPECT_EQ(Node("LogSoftmax").attr("axis", int64_t{2}).in(iota({2, 3})).inferred(),
            "AxisOutsideRank");
  EXPECT_EQ(Node("LogSoftmax").in(iota({2, 0})).ran(), "float32 2x0");
}

}  // namespace
}  // namespace npugraph::testing
