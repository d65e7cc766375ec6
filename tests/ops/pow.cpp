// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Pow, raises_floats) {
  Node node("Pow");
  node.in(of(DType::kF32, {2, 3, -2, 0, 4}, {5})).in(of(DType::kF32, {3, 0.5, 3, 0, -1}, {5}));
  expect_near(node, "float32 5", {8, 1.732051, -8, 1, 0.25});
}

TEST(Pow, mixes_dtypes) {
  Node node("Pow");
  node.in(of(DType::kF32, {1.5, 2}, {2, 1})).in(Tensor::of_ints({2, 3, -1}, {3}));
  expect_near(node, "float32 2x3", {2.25, 3.375, 0.6666667, 4, 8, 0.5});
}

TEST(Pow, is_exact_on_integers) {
  Node node("Pow");
  node.in(Tensor::of_ints({3, 2, -2, 7, 0, 1, -1}, {7}))
      .in(Tensor::of_ints({4, 10, 3, 0, 0, 5, 5}, {7}));
  expect_near(node, "int64 7", {81, 1024, -8, 1, 1, 1, -1});
}

TEST(Pow, inverts_integers_toward_zero) {
  Node node("Pow");
  node.in(vec({2, 1, -1, -1, 0})).in(vec({-1, -5, -3, -4, -2}));
  EXPECT_EQ(node.result(), (Values{0, 1, -1, 1, 0}));
}

TEST(Pow, carries_content) {
  EXPECT_EQ(Node("Pow").dims("[b]").in(vec({2})).inferred(), "int64[1] = [b*b]");
  EXPECT_EQ(Node("Pow").in(type("[b, 1]")).in(type("[3]", DType::kI64)).inferred(),
            "float32[b, 3]");
}

}  // namespace
}  // namespace npugraph::testing
