// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

#include <cmath>

namespace npugraph::testing {
namespace {

Node top(Tensor x, int64_t k, int64_t axis, bool largest) {
  Node node("TopK");
  node.attr("axis", axis)
      .attr("largest", int64_t{largest})
      .outputs(2)
      .in(std::move(x))
      .in(vec({k}));
  return node;
}

TEST(TopK, gives_the_best_first) {
  const Tensor x = of(DType::kF32, {3, 9, 1, 9, 2, 4}, {2, 3});
  EXPECT_EQ(top(x, 2, 1, true).result(0), (Values{9, 3, 9, 4}));
  EXPECT_EQ(top(x, 2, 1, true).result(1), (Values{1, 0, 0, 2}));
  EXPECT_EQ(top(x, 1, 0, false).result(0), (Values{3, 2, 1}));
  EXPECT_EQ(top(x, 1, 0, false).result(1), (Values{0, 1, 0}));
}

TEST(TopK, ties_go_to_the_lower_index_and_nan_is_largest) {
  EXPECT_EQ(top(of(DType::kF32, {5, 5, 5}, {3}), 2, 0, true).result(1), (Values{0, 1}));
  EXPECT_EQ(top(of(DType::kF32, {1, NAN, 2}, {3}), 3, 0, true).result(1), (Values{1, 2, 0}));
  EXPECT_EQ(top(vec({(int64_t{1} << 60) + 1, int64_t{1} << 60}), 1, 0, false).result(1),
            (Values{1}));
}

TEST(TopK, takes_symbolic_dims) {
  EXPECT_EQ(Node("TopK").outputs(2).in(type("[b, t]")).in(vec({5})).inferred(1), "int64[b, 5]");
  EXPECT_EQ(Node("TopK").outputs(2).in(type("[b, t]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[b, late.node.1]");
}

TEST(TopK, refuses_a_wrong_k) {
  EXPECT_EQ(top(iota({3}), 4, 0, true).inferred(), "ShapeMismatch");
  EXPECT_EQ(top(iota({3}), -1, 0, true).inferred(), "ShapeMismatch");
  EXPECT_EQ(top(iota({3}), 0, 0, true).ran(1), "int64 0");
}

}  // namespace
}  // namespace npugraph::testing
