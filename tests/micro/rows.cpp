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

Floats wave(int64_t count) {
  Floats values;
  for (int64_t i = 0; i < count; ++i) values.push_back(std::sin(static_cast<float>(i) * 1.7f) * 3);
  return values;
}

class RowLevels : public testing::TestWithParam<Isa> {
 protected:
  const MicroKernels& kernels() const { return micro_kernels(GetParam()); }
};

TEST_P(RowLevels, sum_max_and_exp_sum_of_every_length) {
  for (int64_t count = 0; count < 150; ++count) {
    const Floats x = wave(count);
    double sum = 0, exp_sum = 0;
    float most = -kInf;
    for (const float v : x) {
      sum += static_cast<double>(v);
      exp_sum += std::exp(static_cast<double>(v) - 3.0);
      most = std::max(most, v);
    }
    EXPECT_NEAR(kernels().sum(x.data(), count), sum, 2e-5);
    EXPECT_EQ(kernels().max(x.data(), count), most);
    Floats y(x.size());
    EXPECT_NEAR(kernels().exp_sum(x.data(), 3.0f, y.data(), count), exp_sum, 2e-5);
    EXPECT_EQ(kernels().exp_sum(x.data(), 3.0f, nullptr, count),
              kernels().exp_sum(x.data(), 3.0f, y.data(), count));
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(y[i], std::exp(static_cast<double>(x[i]) - 3.0), 2e-7);
    }
  }
}

TEST_P(RowLevels, max_is_nan_when_any_is) {
  for (int64_t count = 1; count < 70; ++count) {
    for (int64_t place = 0; place < count; ++place) {
      Floats x = wave(count);
      x[static_cast<size_t>(place)] = kNan;
      EXPECT_TRUE(std::isnan(kernels().max(x.data(), count))) << count << " " << place;
    }
  }
  const Floats infinities = {-kInf, -kInf};
  EXPECT_EQ(kernels().max(infinities.data(), 2), -kInf);
}

TEST_P(RowLevels, layer_norm_matches_its_formula) {
  for (const int64_t count : {1, 3, 16, 31, 100, 768}) {
    const Floats x = wave(count);
    Floats gamma, beta, y(x.size());
    for (int64_t i = 0; i < count; ++i) {
      gamma.push_back(1.0f + 0.01f * static_cast<float>(i));
      beta.push_back(0.5f - 0.02f * static_cast<float>(i));
    }
    double mean = 0, variance = 0;
    for (const float v : x) mean += static_cast<double>(v) / static_cast<double>(count);
    for (const float v : x) {
      variance += std::pow(static_cast<double>(v) - mean, 2) / static_cast<double>(count);
    }
    float got_mean = 0, got_inv = 0;
    kernels().layer_norm({.x = x.data(),
                          .gamma = gamma.data(),
                          .beta = beta.data(),
                          .y = y.data(),
                          .count = count,
                          .epsilon = 1e-5f,
                          .mean = &got_mean,
                          .inv_std = &got_inv});
    const double inv = 1 / std::sqrt(variance + 1e-5);
    EXPECT_NEAR(got_mean, mean, 1e-5);
    EXPECT_NEAR(got_inv / inv, 1, 1e-5);
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = (static_cast<double>(x[i]) - mean) * inv * static_cast<double>(gamma[i]) +
                          static_cast<double>(beta[i]);
      EXPECT_NEAR(y[i], want, 3e-5);
    }
  }
}

TEST_P(RowLevels, layer_norm_without_the_mean_and_with_repeated_scale) {
  for (const int64_t repeat : {1, 2, 5, 33}) {
    for (const int64_t runs : {1, 3, 300}) {
      const int64_t count = repeat * runs;
      const Floats x = wave(count), gamma = wave(runs), beta = wave(runs);
      Floats y(x.size());
      double squares = 0;
      for (const float v : x) squares += std::pow(static_cast<double>(v), 2);
      const double inv = 1 / std::sqrt(squares / static_cast<double>(count) + 0.25);
      kernels().layer_norm({.x = x.data(),
                            .gamma = gamma.data(),
                            .beta = beta.data(),
                            .y = y.data(),
                            .count = count,
                            .epsilon = 0.25f,
                            .repeat = repeat,
                            .is_centred = false});
      for (int64_t i = 0; i < count; ++i) {
        const auto run = static_cast<size_t>(i / repeat);
        const double want =
            static_cast<double>(x[static_cast<size_t>(i)]) * inv * static_cast<double>(gamma[run]) +
            static_cast<double>(beta[run]);
        EXPECT_NEAR(y[static_cast<size_t>(i)], want, 3e-5);
      }
    }
  }
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TEST_P(RowLevels, lstm_gates_match_their_formula) {
  for (const int64_t hidden : {1, 7, 16, 33}) {
    for (const bool peephole : {false, true}) {
      const Floats gates = wave(4 * hidden), weights = wave(3 * hidden);
      Floats cell = wave(hidden), h(static_cast<size_t>(hidden));
      const Floats old = cell;
      kernels().lstm({.gates = gates.data(),
                      .peephole = peephole ? weights.data() : nullptr,
                      .cell = cell.data(),
                      .h = h.data(),
                      .hidden = hidden});
      const auto at = [&](const Floats& v, int64_t part, int64_t j) {
        return static_cast<double>(v[static_cast<size_t>(part * hidden + j)]);
      };
      for (int64_t j = 0; j < hidden; ++j) {
        const double c0 = at(old, 0, j), use = peephole ? 1 : 0;
        const double i = logistic(at(gates, 0, j) + use * c0 * at(weights, 0, j));
        const double f = logistic(at(gates, 2, j) + use * c0 * at(weights, 2, j));
        const double c1 = f * c0 + i * std::tanh(at(gates, 3, j));
        const double o = logistic(at(gates, 1, j) + use * c1 * at(weights, 1, j));
        EXPECT_NEAR(at(cell, 0, j), c1, 1e-6);
        EXPECT_NEAR(at(h, 0, j), o * std::tanh(c1), 1e-6);
      }
    }
  }
}

TEST_P(RowLevels, plane_rows_fill_and_step_and_read_nothing_else) {
  for (const int64_t step : {1, 2, 3, 5}) {
    for (int64_t count = 0; count < 70; ++count) {
      for (const int64_t first : {0, 1, 20}) {
        // The image holds exactly what may be read: a read outside is seen by AddressSanitizer.
        const int64_t width = count == 0 ? 0 : (count - 1) * step + 1;
        const Floats image = wave(2 * width);
        const int64_t pitch = first + count + first;
        Floats dst(static_cast<size_t>(2 * pitch) + 1, 5.0f);
        kernels().plane_rows({.src = count == 0 ? nullptr : image.data() - first * step,
                              .src_stride = width,
                              .step = step,
                              .dst = dst.data(),
                              .pitch = pitch,
                              .rows = 2,
                              .first = first,
                              .last = first + count,
                              .fill = -7.0f});
        for (int64_t i = 0; i < 2 * pitch; ++i) {
          const int64_t at = i % pitch - first;
          const bool inside = at >= 0 && at < count;
          EXPECT_EQ(dst[static_cast<size_t>(i)],
                    inside ? image[static_cast<size_t>(i / pitch * width + at * step)] : -7.0f);
        }
        EXPECT_EQ(dst.back(), 5.0f);
      }
    }
  }
}

TEST_P(RowLevels, taps_sum_and_maximum) {
  const Floats src = wave(400);
  const int64_t offsets[] = {0, 3, 50, 120};
  const float weights[] = {0.5f, -1.0f, 2.0f, 0.25f};
  for (const int64_t count : {1, 63, 64, 65, 130}) {
    Floats dst(256), most(256);
    kernels().taps({.src = src.data(),
                    .offsets = offsets,
                    .weights = weights,
                    .taps = 4,
                    .dst = dst.data(),
                    .count = count});
    kernels().taps({.src = src.data(),
                    .offsets = offsets,
                    .weights = nullptr,
                    .taps = 4,
                    .dst = most.data(),
                    .count = count});
    for (int64_t j = 0; j < count; ++j) {
      double sum = 0;
      float best = -kInf;
      for (int t = 0; t < 4; ++t) {
        const float v = src[static_cast<size_t>(offsets[t] + j)];
        sum += static_cast<double>(weights[t]) * static_cast<double>(v);
        best = std::max(best, v);
      }
      EXPECT_NEAR(dst[static_cast<size_t>(j)], sum, 1e-5);
      EXPECT_EQ(most[static_cast<size_t>(j)], best);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, RowLevels, testing::ValuesIn(available_levels()),
                         [](const auto& level) { return std::string(isa_name(level.param)); });

}  // namespace
}  // namespace npugraph::micro
