// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

#include <cmath>

namespace npugraph::testing {
namespace {

Node one_hot(Tensor indices, int64_t axis) {
  Node node("OneHot");
  node.attr("axis", axis).in(std::move(indices)).in(scalar(3)).in(of(DType::kF32, {-1, 1}, {2}));
  return node;
}

TEST(OneHot, marks_one_class) {
  EXPECT_EQ(one_hot(vec({1, -1}), -1).result(), (Values{-1, 1, -1, -1, -1, 1}));
  EXPECT_EQ(one_hot(vec({1, -1}), 0).result(), (Values{-1, -1, 1, -1, -1, 1}));
}

TEST(OneHot, marks_nothing_for_an_index_outside) {
  EXPECT_EQ(one_hot(vec({3, -4}), -1).result(), (Values(6, -1)));
}

TEST(OneHot, infers_symbolic_dims) {
  EXPECT_EQ(Node("OneHot").in(type("[b, t]", DType::kI64)).in(scalar(5)).in(type("[2]")).inferred(),
            "float32[b, t, 5]");
  EXPECT_EQ(Node("OneHot").in(type("[b]")).in(type("[]")).in(type("[2]")).inferred(),
            "float32[b, late.node.0]");
  EXPECT_EQ(
      Node("OneHot").in(type("[b]")).in(Tensor::scalar(DType::kF32, 4)).in(type("[2]")).inferred(),
      "float32[b, 4]");
}

TEST(OneHot, refuses_a_wrong_depth_or_values) {
  EXPECT_EQ(Node("OneHot").in(vec({0})).in(scalar(-1)).in(iota({2})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("OneHot").in(vec({0})).in(scalar(1)).in(iota({3})).inferred(), "ShapeMismatch");
  EXPECT_EQ(
      Node("OneHot").in(vec({0})).in(Tensor::scalar(DType::kF32, NAN)).in(iota({2})).inferred(),
      "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
