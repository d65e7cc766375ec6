// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "npugraph/micro/micro.h"
#include "tests/micro/levels.h"

namespace npugraph::micro {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

/// Every 4093rd float, through all exponents and both signs, without NaN.
std::vector<float> many_floats() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4093) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(value)) values.push_back(value);
  }
  values.insert(values.end(), {0.0f, -0.0f, kInf, -kInf});
  return values;
}

/// Distance from the exact value in units of the last place of a float of that size.
double ulps(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e30;
  const float nearest = static_cast<float>(exact);
  if (got == nearest) return 0;
  if (!std::isfinite(got) || !std::isfinite(nearest)) return 1e30;
  const float size = std::fabs(nearest);
  const double ulp = static_cast<double>(std::nextafter(size, kInf)) - static_cast<double>(size);
  return std::fabs(static_cast<double>(got) - exact) / ulp;
}

struct Case {
  Unary op;
  double (*exact)(double);
  double limit_ulps;
  float alpha = 0;
  float beta = 0;
};

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void check(const MicroKernels& kernels, const Case& c) {
  const std::vector<float> x = many_floats();
  std::vector<float> y(x.size());
  kernels.unary({c.op, c.alpha, c.beta}, x.data(), y.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  float worst_x = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], c.exact(static_cast<double>(x[i])));
    if (error > worst) {
      worst = error;
      worst_x = x[i];
    }
  }
  EXPECT_LE(worst, c.limit_ulps) << "at " << worst_x;
}

class UnaryLevels : public testing::TestWithParam<Isa> {
 protected:
  const MicroKernels& kernels() const { return micro_kernels(GetParam()); }
};

TEST_P(UnaryLevels, exp_is_within_1_5_ulps) {
  check(kernels(), {Unary::kExp, [](double x) { return std::exp(x); }, 1.5});
}
TEST_P(UnaryLevels, sigmoid_is_within_3_ulps) {
  check(kernels(), {Unary::kSigmoid, exact_sigmoid, 3.0});
}
TEST_P(UnaryLevels, tanh_is_within_4_ulps) {
  check(kernels(), {Unary::kTanh, [](double x) { return std::tanh(x); }, 4.0});
}
TEST_P(UnaryLevels, erf_is_within_3_ulps) {
  check(kernels(), {Unary::kErf, [](double x) { return std::erf(x); }, 3.0});
}
TEST_P(UnaryLevels, sqrt_and_reciprocal_are_rounded_once) {
  check(kernels(), {Unary::kSqrt, [](double x) { return std::sqrt(x); }, 0.5});
  check(kernels(), {Unary::kReciprocal, [](double x) { return 1 / x; }, 0.5});
}
TEST_P(UnaryLevels, piecewise_functions_are_exact) {
  check(kernels(), {Unary::kCopy, [](double x) { return x; }, 0.0});
  check(kernels(), {Unary::kAbs, [](double x) { return std::fabs(x); }, 0.0});
  check(kernels(), {Unary::kNeg, [](double x) { return -x; }, 0.0});
  check(kernels(), {Unary::kRelu, [](double x) { return x < 0 ? 0 : x; }, 0.0});
  check(kernels(), {Unary::kClip, [](double x) { return std::fmin(std::fmax(x, -1.5), 6); }, 0.0,
                    -1.5f, 6.0f});
}

TEST_P(UnaryLevels, nan_stays_nan) {
  for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
    for (const int64_t count : {1, 40}) {
      std::vector<float> x(static_cast<size_t>(count), kNan);
      kernels().unary({static_cast<Unary>(op), 0.1f, 0.5f}, x.data(), x.data(), count);
      for (const float y : x) EXPECT_TRUE(std::isnan(y)) << "op " << op;
    }
  }
}

TEST_P(UnaryLevels, odd_functions_keep_the_sign_of_zero) {
  for (const Unary op : {Unary::kTanh, Unary::kErf, Unary::kCopy, Unary::kSqrt}) {
    float x = -0.0f;
    kernels().unary({op, 0, 0}, &x, &x, 1);
    EXPECT_TRUE(x == 0.0f && std::signbit(x)) << static_cast<int>(op);
  }
}

TEST_P(UnaryLevels, an_element_does_not_depend_on_its_place) {
  std::vector<float> x;
  for (int i = 0; i < 70; ++i) x.push_back(0.37f * static_cast<float>(i) - 11.0f);
  for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
    const Activation activation = {static_cast<Unary>(op), 0.3f, 0.5f};
    std::vector<float> whole(x.size());
    kernels().unary(activation, x.data(), whole.data(), 70);
    for (size_t i = 0; i < x.size(); ++i) {
      float alone = 0;
      kernels().unary(activation, &x[i], &alone, 1);
      EXPECT_EQ(std::bit_cast<uint32_t>(alone), std::bit_cast<uint32_t>(whole[i])) << op;
    }
  }
}

TEST_P(UnaryLevels, nothing_is_written_past_the_count) {
  for (int64_t count = 0; count < 40; ++count) {
    std::vector<float> y(48, 7.0f);
    const std::vector<float> x(48, 1.0f);
    kernels().unary({Unary::kNeg, 0, 0}, x.data(), y.data(), count);
    for (int64_t i = 0; i < 48; ++i) {
      EXPECT_EQ(y[static_cast<size_t>(i)], i < count ? -1.0f : 7.0f);
    }
  }
}

TEST_P(UnaryLevels, binary_operators_follow_ieee) {
  const std::vector<float> values = {0.0f, -0.0f, 1.5f, -2.0f, kInf, -kInf, kNan, 1e-40f};
  for (const float a : values) {
    for (const float b : values) {
      const auto run = [&](Binary op) {
        float y = 0;
        kernels().binary(op, {.a = &a, .b = &b, .dst = &y, .count = 1});
        return y;
      };
      const auto same = [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); };
      EXPECT_TRUE(same(run(Binary::kAdd), a + b));
      EXPECT_TRUE(same(run(Binary::kSub), a - b));
      EXPECT_TRUE(same(run(Binary::kMul), a * b));
      EXPECT_TRUE(same(run(Binary::kDiv), a / b));
      const bool nan = std::isnan(a) || std::isnan(b);
      EXPECT_TRUE(same(run(Binary::kMax), nan ? kNan : std::fmax(a, b))) << a << " " << b;
      EXPECT_TRUE(same(run(Binary::kMin), nan ? kNan : std::fmin(a, b))) << a << " " << b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, UnaryLevels, testing::ValuesIn(available_levels()),
                         [](const auto& level) { return std::string(isa_name(level.param)); });

}  // namespace
}  // namespace npugraph::micro
