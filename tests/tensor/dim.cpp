// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tensor/dim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace npugraph {
namespace {

const Dim b = Dim::symbol("b"), h = Dim::symbol("h"), t = Dim::symbol("t");

TEST(dim, equal_polynomials_are_equal) {
  EXPECT_EQ((b + Dim(1)) * (b - Dim(1)), b * b - Dim(1));
  EXPECT_EQ(h * b, b * h);
  EXPECT_EQ(b - b, Dim(0));
  EXPECT_FALSE(b == h);
}

TEST(dim, prints_what_it_parses) {
  for (const char* text :
       {"0", "-3", "b", "2*b*t + 1", "floordiv(h + 1, 2)", "b - 1", "broadcast(b, t)",
        "2*ceildiv(b*t, 3) + mod(h, 4)", "min(b, max(h, t))"}) {
    const auto dim = Dim::parse(text);
    ASSERT_TRUE(dim) << text;
    const auto again = Dim::parse(dim->str());
    ASSERT_TRUE(again) << dim->str();
    EXPECT_EQ(*dim, *again) << text;
  }
}

TEST(dim, refuses_what_is_no_expression) {
  for (const char* text :
       {"", "b +", "(b", "f(b, 1)", "floordiv(b)", "99999999999999999999", "b b"}) {
    const auto dim = Dim::parse(text);
    ASSERT_FALSE(dim) << text;
    EXPECT_EQ(dim.error().id, ErrorId::kIrParse);
  }
  EXPECT_FALSE(Dim::parse(std::string(100000, '(')));  // bounded recursion
  std::string product = "1";
  for (int i = 0; i < 40; ++i)
    product += "*(a" + std::to_string(i) + " + b" + std::to_string(i) + ")";
  const auto bounded = Dim::parse(product);  // 2^40 terms when multiplied out
  EXPECT_TRUE(!bounded || bounded->str().size() < 20000);
}

TEST(dim, evaluates_or_says_why_not) {
  EXPECT_EQ(*Dim::floor_div(h - Dim(1), Dim(2)).evaluate({{"h", 8}}), 3);
  EXPECT_EQ(*Dim::floor_div(h, Dim(2)).evaluate({{"h", -3}}), -2);
  EXPECT_EQ(*Dim::ceil_div(h, Dim(2)).evaluate({{"h", 7}}), 4);
  EXPECT_EQ(*Dim::broadcast(b, t).evaluate({{"b", 1}, {"t", 0}}), 0);
  EXPECT_EQ(h.evaluate({}).error().id, ErrorId::kUnknownDim);
  EXPECT_EQ(Dim::broadcast(b, t).evaluate({{"b", 2}, {"t", 3}}).error().id,
            ErrorId::kShapeMismatch);
  EXPECT_EQ(Dim::floor_div(b, t).evaluate({{"b", 2}, {"t", 0}}).error().id,
            ErrorId::kShapeMismatch);
  EXPECT_EQ((b * b * b).evaluate({{"b", int64_t{1} << 40}}).error().id, ErrorId::kSizeOverflow);
}

TEST(dim, divides_exactly_where_it_can) {
  EXPECT_EQ(*Dim::exact_div(Dim(4) * b * t, Dim(2) * t), Dim(2) * b);
  EXPECT_EQ(*Dim::exact_div(b * (h + Dim(1)), h + Dim(1)), b);
  EXPECT_FALSE(Dim::exact_div(b + Dim(1), Dim(2)));
  EXPECT_FALSE(Dim::exact_div(b, t));
  EXPECT_EQ(Dim::floor_div(Dim(6) * b + Dim(4), Dim(2)), Dim(3) * b + Dim(2));
}

TEST(dim, known_order_decides_min_and_max) {
  EXPECT_EQ(Dim::min(b, b + Dim(2)), b);
  EXPECT_EQ(Dim::max(b, b + Dim(2)), b + Dim(2));
  EXPECT_EQ(Dim::min(b, t), Dim::min(t, b));
}

TEST(dim, expressions_do_not_grow_without_bound) {
  Dim product = b + h, nested = b;
  for (int i = 0; i < 40; ++i) {
    product = product * product;
    nested = Dim::max(nested * Dim(2), nested + h);
  }
  EXPECT_LT(product.str().size(), 20000u);
  EXPECT_LT(nested.str().size(), 20000u);
  EXPECT_EQ((b + h) * (b + h), (h + b) * (b + h));
}

TEST(dim, substitutes_inside_calls) {
  const Dim half = Dim::floor_div(h, Dim(2));
  EXPECT_EQ(half.substitute({{"h", Dim(9)}}), Dim(4));
  EXPECT_EQ(half.substitute({{"h", Dim(2) * b}}), b);
}

/// Random expressions: simplifying never changes the value.
TEST(dim, canonical_form_keeps_the_value) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int trial = 0; trial < 2000; ++trial) {
    const Dim::Bindings bindings = {{"b", pick(9) + 1}, {"h", pick(50) + 1}, {"t", pick(7) + 1}};
    std::vector<std::pair<Dim, int64_t>> pool;
    for (const auto& [name, value] : bindings) pool.emplace_back(Dim::symbol(name), value);
    pool.emplace_back(Dim(3), 3);
    for (int step = 0; step < 6; ++step) {
      const auto [x, xv] = pool[static_cast<size_t>(pick(static_cast<int>(pool.size())))];
      const auto [y, yv] = pool[static_cast<size_t>(pick(static_cast<int>(pool.size())))];
      const auto floor = [](int64_t p, int64_t q) {
        return static_cast<int64_t>(std::floor(static_cast<double>(p) / static_cast<double>(q)));
      };
      switch (pick(6)) {
        case 0:
          pool.emplace_back(x + y, xv + yv);
          break;
        case 1:
          pool.emplace_back(x - y, xv - yv);
          break;
        case 2:
          if (std::abs(xv * yv) < 100000) pool.emplace_back(x * y, xv * yv);
          break;
        case 3:
          pool.emplace_back(Dim::min(x, y), std::min(xv, yv));
          break;
        case 4:
          pool.emplace_back(Dim::max(x, y), std::max(xv, yv));
          break;
        default:
          if (yv > 0) pool.emplace_back(Dim::floor_div(x, y), floor(xv, yv));
      }
      ASSERT_EQ(*pool.back().first.evaluate(bindings), pool.back().second)
          << pool.back().first.str();
      ASSERT_EQ(*Dim::parse(pool.back().first.str())->evaluate(bindings), pool.back().second);
    }
  }
}

}  // namespace
}  // namespace npugraph
