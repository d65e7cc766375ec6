// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "npugraph/micro/micro.h"
#include "tests/micro/levels.h"

namespace npugraph::micro {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();
using Floats = std::vector<float>;

class FastRows : public testing::TestWithParam<Isa> {
 protected:
  const MicroKernels& kernels() const { return micro_kernels(GetParam()); }
};

TEST_P(FastRows, exp_is_within_8e_5_over_its_range) {
  Floats x;
  for (int i = 0; i < 86000; ++i) x.push_back(-86.0f + static_cast<float>(i) * 1e-3f);
  Floats y(x.size());
  kernels().exp_sum_fast(x.data(), 0.0f, y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const double right = std::exp(static_cast<double>(x[i]));
    ASSERT_NEAR(y[i] / right, 1.0, 8e-5) << x[i];
  }
}

TEST_P(FastRows, exp_sum_of_every_length_masked_and_nan) {
  for (int64_t count = 0; count < 70; ++count) {
    Floats x;
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      x.push_back(i % 5 == 4 ? -kInf : -std::fabs(std::sin(static_cast<float>(i))) * 9);
      sum += std::exp(static_cast<double>(x.back()));
    }
    Floats y(x.size());
    EXPECT_NEAR(kernels().exp_sum_fast(x.data(), 0.0f, y.data(), count), sum, 8e-5 * (sum + 1e-3));
    if (count == 0) continue;
    x[static_cast<size_t>(count - 1)] = kNan;
    EXPECT_TRUE(std::isnan(kernels().exp_sum_fast(x.data(), 0.0f, y.data(), count)));
  }
}

TEST_P(FastRows, gelu_is_within_5e_4_of_the_exact_one) {
  Floats x = {0.0f, -0.0f, 1e30f, -1e30f, kNan};
  for (int i = 0; i < 20001; ++i) x.push_back(-10.0f + static_cast<float>(i) * 1e-3f);
  Floats y(x.size());
  kernels().unary({Unary::kGeluFast}, x.data(), y.data(), static_cast<int64_t>(x.size()));
  EXPECT_EQ(y[2], 1e30f);
  EXPECT_NEAR(y[3], 0.0f, 1e-6);
  EXPECT_TRUE(std::isnan(y[4]));
  for (size_t i = 5; i < x.size(); ++i) {
    const double v = static_cast<double>(x[i]);
    ASSERT_NEAR(y[i], v / 2 * (1 + std::erf(v / std::sqrt(2.0))), 5e-4) << v;
  }
}

TEST_P(FastRows, layer_norm_of_every_length) {
  for (int64_t count = 1; count < 150; ++count) {
    Floats x, gamma, beta;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      x.push_back(std::sin(static_cast<float>(i) * 1.7f) * 3 + 1);
      gamma.push_back(0.5f + static_cast<float>(i % 3));
      beta.push_back(static_cast<float>(i % 5));
      sum += static_cast<double>(x.back());
    }
    const double mean = sum / static_cast<double>(count);
    for (const float v : x) squares += (static_cast<double>(v) - mean) * (v - mean);
    const double inv_std = 1 / std::sqrt(squares / static_cast<double>(count) + 1e-3);
    Floats y(x.size());
    float mean_out = 0, inv_std_out = 0;
    kernels().layer_norm_fast({.x = x.data(),
                               .gamma = gamma.data(),
                               .beta = beta.data(),
                               .y = y.data(),
                               .count = count,
                               .epsilon = 1e-3f,
                               .mean = &mean_out,
                               .inv_std = &inv_std_out});
    EXPECT_NEAR(mean_out, mean, 1e-5);
    EXPECT_NEAR(inv_std_out / inv_std, 1, 2e-3);  // one element: a variance of rounding errors
    for (size_t i = 0; i < x.size(); ++i) {
      const double right =
          (static_cast<double>(x[i]) - mean) * inv_std * static_cast<double>(gamma[i]);
      EXPECT_NEAR(y[i], right + static_cast<double>(beta[i]), 2e-4);
    }
  }
}

TEST_P(FastRows, layer_norm_of_equal_elements_is_finite) {
  const Floats x(37, 1234.5f);
  Floats y(x.size());
  kernels().layer_norm_fast({.x = x.data(), .y = y.data(), .count = 37, .epsilon = 1e-5f});
  for (const float v : y) EXPECT_TRUE(std::isfinite(v));
}

INSTANTIATE_TEST_SUITE_P(Levels, FastRows, testing::ValuesIn(available_levels()),
                         [](const auto& test) { return std::string(isa_name(test.param)); });

}  // namespace
}  // namespace npugraph::micro
