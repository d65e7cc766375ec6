// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Greater, compares_floats) {
  Node node("Greater");
  node.in(of(DType::kF32, {1, 2, 3, kNaN, 1.677722e+07}, {5}))
      .in(of(DType::kF32, {2, 2, 2, kNaN, 1.677722e+07}, {5}));
  expect_near(node, "bool 5", {0, 0, 1, 0, 0});
}

TEST(Greater, compares_integers) {
  Node node("Greater");
  node.in(Tensor::of_ints({1, -2}, {2, 1})).in(Tensor::of_ints({1, -2, 0}, {3}));
  expect_near(node, "bool 2x3", {0, 1, 1, 0, 0, 0});
}

TEST(Greater, broadcasts_symbolic_shapes) {
  EXPECT_EQ(
      Node("Greater").in(type("[b, 1, t]", DType::kF32)).in(type("[3, 1]", DType::kF32)).inferred(),
      "bool[b, 3, t]");
  EXPECT_EQ(Node("Greater").in(type("[2, 3]", DType::kF32)).in(type("[2]", DType::kF32)).inferred(),
            "ShapeMismatch");
}

TEST(Greater, is_exact_beyond_the_integers_of_double) {
  constexpr int64_t kBig = int64_t{1} << 53;
  Node node("Greater");
  node.in(vec({kBig + 1})).in(vec({kBig}));
  EXPECT_EQ(node.result(), (Values{1}));
}

TEST(Greater, carries_content_when_it_is_sure) {
  EXPECT_EQ(Node("Greater").dims("[b + 1, 3, b]").dims("[b, 4, b]").inferred(),
            "bool[3] = [1, 0, 0]");
  EXPECT_EQ(Node("Greater").dims("[b]").dims("[t]").inferred(), "bool[1]");
}

}  // namespace
}  // namespace npugraph::testing
