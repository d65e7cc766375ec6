// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Max, takes_any_number_of_inputs) {
  Node node("Max");
  node.in(of(DType::kF32, {-1.95, -1.23, 0.77, -1.2, -0.52, -1.99}, {2, 3}))
      .in(of(DType::kF32, {1.32, -1.38, -0.93}, {3}))
      .in(of(DType::kF32, {1.52, 0.04}, {2, 1}));
  expect_near(node, "float32 2x3", {1.52, 1.52, 1.52, 1.32, 0.04, 0.04});
}

TEST(Max, takes_one_input) {
  Node node("Max");
  node.in(of(DType::kF32, {1.39, 0.56, 0.97, -1.63}, {2, 2}));
  expect_near(node, "float32 2x2", {1.39, 0.56, 0.97, -1.63});
}

TEST(Max, broadcasts_symbolic_shapes) {
  EXPECT_EQ(Node("Max").in(type("[b, 1]")).in(type("[1, t]")).in(type("[]")).inferred(),
            "float32[b, t]");
  EXPECT_EQ(Node("Max").in(type("[2]")).in(type("[3]")).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Max").inferred(), "BadArity");
}

TEST(Max, takes_integers) {
  Node node("Max");
  node.in(Tensor::of_ints({3, -5, 7}, {3})).in(Tensor::of_ints({2, -1, 9}, {3}));
  expect_near(node, "int64 3", {3, -1, 9});
}

TEST(Max, passes_nan_on) {
  Node node("Max");
  node.in(of(DType::kF32, {kNaN, 1, kNaN}, {3})).in(of(DType::kF32, {1, kNaN, kNaN}, {3}));
  expect_near(node, "float32 3", {kNaN, kNaN, kNaN});
}

TEST(Max, sees_uint64_as_unsigned) {
  Node node("Max");
  node.in(of(DType::kU64, {0x1p63}, {1})).in(of(DType::kU64, {1}, {1}));
  EXPECT_EQ(node.result(), (Values{0x1p63}));
}

TEST(Max, carries_content) {
  EXPECT_EQ(Node("Max").dims("[b + 1, 4]").dims("[b, 7]").inferred(), "int64[2] = [b + 1, 7]");
}

}  // namespace
}  // namespace npugraph::testing
