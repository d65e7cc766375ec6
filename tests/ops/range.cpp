// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

#include <cmath>

namespace npugraph::testing {
namespace {

Node range(DType dtype, double start, double limit, double delta) {
  Node node("Range");
  for (const double value : {start, limit, delta}) node.in(Tensor::scalar(dtype, value));
  return node;
}

TEST(Range, counts_either_way) {
  EXPECT_EQ(range(DType::kI64, 1, 6, 2).result(), (Values{1, 3, 5}));
  EXPECT_EQ(range(DType::kI32, 10, 4, -2).result(), (Values{10, 8, 6}));
  EXPECT_EQ(range(DType::kF32, 0, 1, 0.25).result(), (Values{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(range(DType::kI16, 3, 3, 1).ran(), "int16 0");
  EXPECT_EQ(range(DType::kF64, 0, -1, 1).ran(), "float64 0");
}

TEST(Range, takes_symbolic_bounds) {
  EXPECT_EQ(Node("Range").in(scalar(0)).dims("[t]").in(scalar(1)).inferred(), "int64[t]");
  EXPECT_EQ(Node("Range").dims("[n]").dims("[n + 3]").in(scalar(2)).inferred(),
            "int64[2] = [n, n + 2]");
  EXPECT_EQ(Node("Range").dims("[t]").in(scalar(0)).in(scalar(-2)).inferred(),
            "int64[ceildiv(t, 2)]");
  EXPECT_EQ(Node("Range").in(type("[]")).in(type("[]")).in(type("[]")).inferred(),
            "float32[late.node.0]");
}

TEST(Range, refuses_what_has_no_end) {
  EXPECT_EQ(range(DType::kI64, 0, 5, 0).ran(), "ShapeMismatch");
  EXPECT_EQ(range(DType::kF32, 0, 5, 0).ran(), "ShapeMismatch");
  EXPECT_EQ(range(DType::kF32, 0, HUGE_VAL, 1).ran(), "SizeOverflow");
  EXPECT_EQ(range(DType::kF32, NAN, 1, 1).ran(), "SizeOverflow");
  EXPECT_EQ(range(DType::kI64, -9.2e18, 9.2e18, 1).ran(), "SizeOverflow");
  EXPECT_EQ(Node("Range").in(vec({0, 1})).in(scalar(1)).in(scalar(1)).ran(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
