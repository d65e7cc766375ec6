// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(NonMaxSuppression, selects_the_best_of_each_overlap) {
  Node node("NonMaxSuppression");
  node.in(of(DType::kF32, {0, 0,  1, 1,  0, 0.1,  1, 1.1,  0, -0.1, 1, 0.9,
                           0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100,  1, 101},
             {1, 6, 4}))
      .in(of(DType::kF32, {0.9, 0.75, 0.6, 0.95, 0.5, 0.3}, {1, 1, 6}))
      .in(Tensor::of_ints({3}, {}))
      .in(of(DType::kF32, {0.5}, {}))
      .in(of(DType::kF32, {0}, {}));
  expect_near(node, "int64 3x3", {0, 0, 3, 0, 0, 0, 0, 0, 5});
}

TEST(NonMaxSuppression, limits_the_number) {
  Node node("NonMaxSuppression");
  node.in(of(DType::kF32, {0, 0,  1, 1,  0, 0.1,  1, 1.1,  0, -0.1, 1, 0.9,
                           0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100,  1, 101},
             {1, 6, 4}))
      .in(of(DType::kF32, {0.9, 0.75, 0.6, 0.95, 0.5, 0.3}, {1, 1, 6}))
      .in(Tensor::of_ints({2}, {}))
      .in(of(DType::kF32, {0.5}, {}))
      .in(of(DType::kF32, {0}, {}));
  expect_near(node, "int64 2x3", {0, 0, 3, 0, 0, 0});
}

TEST(NonMaxSuppression, limits_the_score) {
  Node node("NonMaxSuppression");
  node.in(of(DType::kF32, {0, 0,  1, 1,  0, 0.1,  1, 1.1,  0, -0.1, 1, 0.9,
                           0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100,  1, 101},
             {1, 6, 4}))
      .in(of(DType::kF32, {0.9, 0.75, 0.6, 0.95, 0.5, 0.3}, {1, 1, 6}))
      .in(Tensor::of_ints({9}, {}))
      .in(of(DType::kF32, {0.5}, {}))
      .in(of(DType::kF32, {0.6}, {}));
  expect_near(node, "int64 2x3", {0, 0, 3, 0, 0, 0});
}

TEST(NonMaxSuppression, works_class_by_class) {
  Node node("NonMaxSuppression");
  node.in(of(DType::kF32, {0, 0,    1, 1,    0, 0.1,  1, 1.1, 0, -0.1, 1, 0.9, 0, 10,   1, 11,
                           0, 10.1, 1, 11.1, 0, 100,  1, 101, 0, 100,  1, 101, 0, 10.1, 1, 11.1,
                           0, 10,   1, 11,   0, -0.1, 1, 0.9, 0, 0.1,  1, 1.1, 0, 0,    1, 1},
             {2, 6, 4}))
      .in(of(DType::kF32, {0.46, 0.54, 0.31, 0,    0.59, 0.27, 0.28, 0.88, 0.36, 0.1,  0.63, 0.54,
                           0.06, 0.35, 0.61, 0.28, 0.99, 0.8,  0.5,  0.92, 0.03, 0.22, 0.91, 0.51},
             {2, 2, 6}))
      .in(Tensor::of_ints({2}, {}))
      .in(of(DType::kF32, {0.4}, {}))
      .in(of(DType::kF32, {0.1}, {}));
  expect_near(node, "int64 8x3",
              {0, 0, 4, 0, 0, 1, 0, 1, 1, 0, 1, 4, 1, 0, 4, 1, 0, 2, 1, 1, 1, 1, 1, 4});
}

TEST(NonMaxSuppression, takes_centers) {
  Node node("NonMaxSuppression");
  node.attr("center_point_box", int64_t{1})
      .in(of(DType::kF32, {0.5, 0.5, 1, 1, 0.5, 0.6, 1, 1, 0.5, 0.4, 1, 1, 0.5, 10.5, 1, 1},
             {1, 4, 4}))
      .in(of(DType::kF32, {0.9, 0.75, 0.6, 0.95}, {1, 1, 4}))
      .in(Tensor::of_ints({3}, {}))
      .in(of(DType::kF32, {0.5}, {}));
  expect_near(node, "int64 2x3", {0, 0, 3, 0, 0, 0});
}

TEST(NonMaxSuppression, takes_any_two_corners) {
  Node node("NonMaxSuppression");
  node.in(of(DType::kF32, {1, 1, 0, 0, 0, 0.1, 1, 1.1}, {1, 2, 4}))
      .in(of(DType::kF32, {0.9, 0.75}, {1, 1, 2}))
      .in(Tensor::of_ints({3}, {}))
      .in(of(DType::kF32, {0.5}, {}));
  expect_near(node, "int64 1x3", {0, 0, 0});
}

TEST(NonMaxSuppression, keeps_the_first_of_equal_scores) {
  Node node("NonMaxSuppression");
  node.in(of(DType::kF32, {0, 0, 1, 1, 0, 0, 1, 1}, {1, 2, 4}))
      .in(of(DType::kF32, {0.9, 0.9}, {1, 1, 2}))
      .in(Tensor::of_ints({3}, {}))
      .in(of(DType::kF32, {0.5}, {}));
  expect_near(node, "int64 1x3", {0, 0, 0});
}

TEST(NonMaxSuppression, selects_nothing_by_default) {
  EXPECT_EQ(Node("NonMaxSuppression").in(iota({1, 2, 4})).in(iota({1, 1, 2})).ran(), "int64 0x3");
}

TEST(NonMaxSuppression, has_a_late_size) {
  EXPECT_EQ(Node("NonMaxSuppression").in(type("[n, k, 4]")).in(type("[n, 80, k]")).inferred(),
            "int64[late.node.0, 3]");
  EXPECT_EQ(Node("NonMaxSuppression").in(type("[n, k, 5]")).in(type("[n, 80, k]")).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("NonMaxSuppression").in(type("[n, 7, 4]")).in(type("[n, 80, 8]")).inferred(),
            "ShapeMismatch");
}

TEST(NonMaxSuppression, passes_over_scores_that_are_no_numbers) {
  Node node("NonMaxSuppression");
  node.in(of(DType::kF32, {0, 0, 1, 1, 5, 5, 6, 6, 8, 8, 9, 9}, {1, 3, 4}))
      .in(of(DType::kF32, {kNaN, 0.5, kNaN}, {1, 1, 3}))
      .in(scalar(9));
  EXPECT_EQ(node.result(), (Values{0, 0, 1}));
}

}  // namespace
}  // namespace npugraph::testing
