// SPDX-License-Identifier: Apache-2.0
#include "npugraph/metrics/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace npugraph {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor row(const std::vector<float>& values) {
  return Tensor::of_floats(values, {static_cast<int64_t>(values.size())});
}

Agreement of(const Tensor& a, const Tensor& b) {
  auto all = agreement(a.view(), b.view());
  EXPECT_TRUE(all) << all.error().message();
  return *all;
}

// a = (3, 4), b = (4, 3): a.b = 24, |a| = |b| = 5, so cosine 24/25; differences (-1, 1);
// max|b| = 4; sum b^2 = 25, sum d^2 = 2, so sqrt(2)/5 and 10*log10(12.5) = 10.96910013 dB.
TEST(Agreement, is_right_on_a_hand_worked_pair) {
  const Agreement all = of(row({3, 4}), row({4, 3}));
  EXPECT_DOUBLE_EQ(all.cosine, 0.96);
  EXPECT_DOUBLE_EQ(all.max_abs, 1);
  EXPECT_DOUBLE_EQ(all.relative_error, 0.25);
  EXPECT_DOUBLE_EQ(all.relative_euclid, 0.28284271247461903);
  EXPECT_NEAR(all.sqnr_db, 10.969100130080564, 1e-12);
  EXPECT_EQ(all.elements, 2);
  EXPECT_EQ(all.mismatches, 0);
}

TEST(Agreement, of_opposite_vectors_is_minus_one) {
  const Agreement all = of(row({1, -2, 3}), row({-1, 2, -3}));
  EXPECT_DOUBLE_EQ(all.cosine, -1);
  EXPECT_DOUBLE_EQ(all.max_abs, 6);
  EXPECT_DOUBLE_EQ(all.relative_error, 2);
}

TEST(Agreement, of_equal_tensors_is_perfect) {
  const Agreement all = of(row({1, -2, 3}), row({1, -2, 3}));
  EXPECT_DOUBLE_EQ(all.cosine, 1);
  EXPECT_EQ(all.max_abs, 0);
  EXPECT_EQ(all.relative_error, 0);
  EXPECT_EQ(all.relative_euclid, 0);
  EXPECT_EQ(all.sqnr_db, std::numeric_limits<double>::infinity());
}

TEST(Agreement, of_zero_and_empty_tensors_is_defined) {
  const Agreement zeros = of(row({0, 0}), row({0, 0}));
  EXPECT_EQ(zeros.cosine, 1);
  EXPECT_EQ(zeros.relative_error, 0);
  const Agreement wrong = of(row({0, 2}), row({0, 0}));
  EXPECT_EQ(wrong.cosine, 0);
  EXPECT_EQ(wrong.max_abs, 2);
  EXPECT_EQ(wrong.relative_error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(wrong.relative_euclid, std::numeric_limits<double>::infinity());
  EXPECT_EQ(wrong.sqnr_db, -std::numeric_limits<double>::infinity());
  // All zeros where a signal was expected: the noise equals the signal.
  const Agreement dead = of(row({0, 0}), row({0, 2}));
  EXPECT_EQ(dead.cosine, 0);
  EXPECT_EQ(dead.relative_error, 1);
  EXPECT_EQ(dead.sqnr_db, 0);
  const Agreement empty = of(row({}), row({}));
  EXPECT_EQ(empty.cosine, 1);
  EXPECT_EQ(empty.max_abs, 0);
  EXPECT_EQ(empty.elements, 0);
}

TEST(Agreement, leaves_out_elements_that_are_equally_not_finite) {
  const Agreement all = of(row({kNan, kInf, -kInf, 3, 4}), row({kNan, kInf, -kInf, 4, 3}));
  EXPECT_EQ(all.mismatches, 0);
  EXPECT_DOUBLE_EQ(all.cosine, 0.96);
  EXPECT_DOUBLE_EQ(all.relative_error, 0.25);
}

TEST(Agreement, counts_elements_that_are_finite_on_one_side_only) {
  const std::vector<std::pair<float, float>> cases = {{kNan, 1.F},  {1.F, kNan},   {kInf, 1.F},
                                                      {1.F, -kInf}, {kInf, -kInf}, {kNan, kInf}};
  for (const auto& [a, b] : cases) {
    const Agreement all = of(row({1, a}), row({1, b}));
    EXPECT_EQ(all.mismatches, 1) << a << " " << b;
    EXPECT_EQ(all.cosine, 0);
    EXPECT_EQ(all.max_abs, std::numeric_limits<double>::infinity());
    EXPECT_EQ(all.relative_error, std::numeric_limits<double>::infinity());
    EXPECT_EQ(all.sqnr_db, -std::numeric_limits<double>::infinity());
  }
}

TEST(Agreement, subtracts_large_integers_exactly) {
  const int64_t big = int64_t{1} << 62;
  EXPECT_EQ(of(Tensor::of_ints({big + 1, 5}), Tensor::of_ints({big, 5})).max_abs, 1);
  EXPECT_EQ(of(Tensor::of_ints({-big}), Tensor::of_ints({big})).max_abs, std::ldexp(1.0, 63));
}

TEST(Agreement, does_not_overflow_where_squares_would) {
  auto a = Tensor::zeros(DType::kF64, {2});
  auto b = Tensor::zeros(DType::kF64, {2});
  ASSERT_TRUE(a && b);
  a->mutable_view().store(0, 3e300), a->mutable_view().store(1, 4e300);
  b->mutable_view().store(0, 4e300), b->mutable_view().store(1, 3e300);
  const Agreement all = of(*a, *b);
  EXPECT_NEAR(all.cosine, 0.96, 1e-15);
  EXPECT_NEAR(all.sqnr_db, 10.969100130080564, 1e-9);
}

TEST(Agreement, compares_values_across_dtypes) {
  auto half = Tensor::zeros(DType::kF16, {2});
  ASSERT_TRUE(half);
  half->mutable_view().store(0, 3), half->mutable_view().store(1, 4);
  EXPECT_DOUBLE_EQ(of(*half, row({4, 3})).cosine, 0.96);
}

TEST(Agreement, rejects_unequal_shapes) {
  const Tensor a = Tensor::of_floats({1, 2}, {1, 2});
  const Tensor b = Tensor::of_floats({1, 2}, {2, 1});
  const auto all = agreement(a.view(), b.view());
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(all.error().found, "1x2");
}

TEST(Agreement, gives_single_measures_too) {
  const Tensor a = row({3, 4}), b = row({4, 3});
  EXPECT_DOUBLE_EQ(*cosine(a.view(), b.view()), 0.96);
  EXPECT_DOUBLE_EQ(*max_abs(a.view(), b.view()), 1);
  EXPECT_DOUBLE_EQ(*relative_error(a.view(), b.view()), 0.25);
  EXPECT_NEAR(*sqnr_db(a.view(), b.view()), 10.969100130080564, 1e-12);
}

}  // namespace
}  // namespace npugraph
