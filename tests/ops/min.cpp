// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Min, takes_any_number_of_inputs) {
  Node node("Min");
  node.in(of(DType::kF32, {0.16, 0.03, 1.49, -0.55, 0.39, -1.76}, {2, 3}))
      .in(of(DType::kF32, {-0.45, -0.71, -1.4}, {3}))
      .in(of(DType::kF32, {1.27, -0.48}, {2, 1}));
  expect_near(node, "float32 2x3", {-0.45, -0.71, -1.4, -0.55, -0.71, -1.76});
}

TEST(Min, takes_one_input) {
  Node node("Min");
  node.in(of(DType::kF32, {1.91, 0.36, 0.42, 0.55}, {2, 2}));
  expect_near(node, "float32 2x2", {1.91, 0.36, 0.42, 0.55});
}

TEST(Min, broadcasts_symbolic_shapes) {
  EXPECT_EQ(Node("Min").in(type("[b, 1]")).in(type("[1, t]")).in(type("[]")).inferred(),
            "float32[b, t]");
  EXPECT_EQ(Node("Min").in(type("[2]")).in(type("[3]")).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Min").inferred(), "BadArity");
}

TEST(Min, takes_integers) {
  Node node("Min");
  node.in(Tensor::of_ints({3, -5, 7}, {3})).in(Tensor::of_ints({2, -1, 9}, {3}));
  expect_near(node, "int64 3", {2, -5, 7});
}

TEST(Min, passes_nan_on) {
  Node node("Min");
  node.in(of(DType::kF32, {kNaN, 1, kNaN}, {3})).in(of(DType::kF32, {1, kNaN, kNaN}, {3}));
  expect_near(node, "float32 3", {kNaN, kNaN, kNaN});
}

TEST(Min, sees_uint64_as_unsigned) {
  Node node("Min");
  node.in(of(DType::kU64, {0x1p63}, {1})).in(of(DType::kU64, {1}, {1}));
  EXPECT_EQ(node.result(), (Values{1}));
}

TEST(Min, carries_content) {
  EXPECT_EQ(Node("Min").dims("[b + 1, 4]").dims("[b, 7]").inferred(), "int64[2] = [b, 4]");
}

}  // namespace
}  // namespace npugraph::testing
