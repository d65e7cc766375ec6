// SPDX-License-Identifier: Apache-2.0
#include "npugraph/micro/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "npugraph/micro/planes.h"
#include "tests/micro/levels.h"

namespace npugraph::micro {
namespace {

using Floats = std::vector<float>;

Floats random_floats(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random);
  return values;
}

struct Aligned {
  explicit Aligned(int64_t floats) : storage(static_cast<size_t>(floats) + 16, NAN) {
    const auto address = reinterpret_cast<uintptr_t>(storage.data());
    data = storage.data() + (64 - address % 64) % 64 / 4;
    count = static_cast<size_t>(floats);
  }
  std::span<float> span() { return {data, count}; }
  Floats storage;
  float* data;
  size_t count;
};

Floats run(Gemm gemm, const MicroKernels& kernels, int64_t threads, int64_t c_floats) {
  const auto pool = std::move(*ThreadPool::create(threads));
  Floats c(static_cast<size_t>(c_floats), 99.0f);
  gemm.kernels = &kernels;
  gemm.c = c.data();
  Aligned scratch(gemm_scratch_floats(gemm, threads));
  run_gemm(gemm, scratch.span(), *pool);
  return c;
}

Floats product(const Floats& a, const Floats& b, int64_t m, int64_t k, int64_t n) {
  Floats c;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += static_cast<double>(a[static_cast<size_t>(i * k + p)]) *
               static_cast<double>(b[static_cast<size_t>(p * n + j)]);
      }
      c.push_back(static_cast<float>(sum));
    }
  }
  return c;
}

void expect_near(const Floats& got, const Floats& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << i;
}

class GemmLevels : public testing::TestWithParam<Isa> {
 protected:
  const MicroKernels& kernels() const { return micro_kernels(GetParam()); }
};

TEST_P(GemmLevels, every_way_of_giving_operands_is_the_product) {
  const int64_t sizes[][3] = {{1, 1, 1},   {1, 5, 3},    {3, 0, 4},      {13, 7, 33}, {12, 300, 32},
                              {5, 257, 1}, {40, 64, 70}, {25, 513, 300}, {2, 31, 600}};
  for (const auto& [m, k, n] : sizes) {
    const Floats a = random_floats(m * k, 1);
    const Floats b = random_floats(k * n, 2);
    const Floats want = product(a, b, m, k, n);
    Floats packed_a(static_cast<size_t>(packed_rows_floats(kernels(), m, k)));
    Floats packed_b(static_cast<size_t>(packed_columns_floats(kernels(), k, n)));
    pack_rows(kernels(), a.data(), k, 1, m, k, packed_a.data());
    pack_columns(kernels(), b.data(), n, 1, k, n, packed_b.data());
    Floats turned_a(a.size()), turned_b(b.size());
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t i = 0; i < m; ++i) {
        turned_a[static_cast<size_t>(p * m + i)] = a[static_cast<size_t>(i * k + p)];
      }
      for (int64_t j = 0; j < n; ++j) {
        turned_b[static_cast<size_t>(j * k + p)] = b[static_cast<size_t>(p * n + j)];
      }
    }
    const Operand ways_a[] = {{.data = packed_a.data(), .packed = true},
                              {.data = a.data(), .row_stride = k, .col_stride = 1},
                              {.data = turned_a.data(), .row_stride = 1, .col_stride = m}};
    const Operand ways_b[] = {{.data = packed_b.data(), .packed = true},
                              {.data = b.data(), .row_stride = n, .col_stride = 1},
                              {.data = turned_b.data(), .row_stride = 1, .col_stride = k}};
    Floats first;
    for (const Operand& way_a : ways_a) {
      for (const Operand& way_b : ways_b) {
        for (const int64_t threads : {1, 3}) {
          const Floats got = run({.m = m, .n = n, .k = k, .a = way_a, .b = way_b, .c_stride = n},
                                 kernels(), threads, m * n);
          expect_near(got, want, 1e-6 * static_cast<double>(k) + 1e-6);
          if (first.empty()) first = got;
          ASSERT_EQ(std::memcmp(first.data(), got.data(), got.size() * 4), 0)
              << "same bits, " << threads << " threads";
        }
      }
    }
  }
}

TEST_P(GemmLevels, biases_residual_and_activation_come_after_the_product) {
  const int64_t m = 17, k = 20, n = 45;
  const Floats a = random_floats(m * k, 1), b = random_floats(k * n, 2);
  const Floats rows = random_floats(m, 3), cols = random_floats(n, 4),
               rest = random_floats(m * n, 5);
  Floats want = product(a, b, m, k, n);
  for (int64_t i = 0; i < m * n; ++i) {
    const auto at = static_cast<size_t>(i);
    const float sum =
        want[at] + rows[static_cast<size_t>(i / n)] + cols[static_cast<size_t>(i % n)] + rest[at];
    want[at] = sum < 0 ? 0 : sum;
  }
  const Floats got = run({.m = m,
                          .n = n,
                          .k = k,
                          .a = {.data = a.data(), .row_stride = k},
                          .b = {.data = b.data(), .row_stride = n},
                          .c_stride = n,
                          .row_bias = rows.data(),
                          .col_bias = cols.data(),
                          .residual = rest.data(),
                          .activation = {.op = Unary::kRelu}},
                         kernels(), 2, m * n);
  expect_near(got, want, 1e-5);
}

TEST_P(GemmLevels, batches_take_strides_and_tables) {
  const int64_t m = 3, k = 4, n = 5;
  const Floats a = random_floats(2 * m * k, 1), b = random_floats(3 * k * n, 2);
  const int64_t table[] = {2 * k * n, 0};
  const Floats got = run({.batch = 2,
                          .m = m,
                          .n = n,
                          .k = k,
                          .a = {.data = a.data(), .row_stride = k, .batch = {.stride = m * k}},
                          .b = {.data = b.data(), .row_stride = n, .batch = {.table = table}},
                          .c_stride = n,
                          .c_batch = {.stride = m * n}},
                         kernels(), 2, 2 * m * n);
  Floats want = product({a.begin(), a.begin() + m * k}, {b.begin() + 2 * k * n, b.end()}, m, k, n);
  const Floats second =
      product({a.begin() + m * k, a.end()}, {b.begin(), b.begin() + k * n}, m, k, n);
  want.insert(want.end(), second.begin(), second.end());
  expect_near(got, want, 1e-5);
}

TEST_P(GemmLevels, nan_and_infinity_reach_only_their_own_row_and_column) {
  const int64_t m = 4, k = 6, n = 40;
  Floats a = random_floats(m * k, 1), b = random_floats(k * n, 2);
  a[static_cast<size_t>(1 * k + 2)] = std::numeric_limits<float>::quiet_NaN();
  b[static_cast<size_t>(3 * n + 35)] = std::numeric_limits<float>::infinity();
  const Floats got = run({.m = m,
                          .n = n,
                          .k = k,
                          .a = {.data = a.data(), .row_stride = k},
                          .b = {.data = b.data(), .row_stride = n},
                          .c_stride = n},
                         kernels(), 1, m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const float value = got[static_cast<size_t>(i * n + j)];
      EXPECT_EQ(std::isnan(value), i == 1) << i << " " << j;
      EXPECT_EQ(std::isfinite(value), i != 1 && j != 35) << i << " " << j;
    }
  }
}

// A convolution as a product over padded planes, against plain loops.
TEST_P(GemmLevels, planes_with_row_offsets_are_a_convolution) {
  const Window windows[] = {
      {.in_h = 5,
       .in_w = 7,
       .out_h = 5,
       .out_w = 7,
       .kernel_h = 3,
       .kernel_w = 3,
       .pad_top = 1,
       .pad_left = 1},
      {.in_h = 9,
       .in_w = 8,
       .out_h = 5,
       .out_w = 4,
       .kernel_h = 3,
       .kernel_w = 3,
       .stride_h = 2,
       .stride_w = 2,
       .pad_top = 1,
       .pad_left = 1},
      {.in_h = 12,
       .in_w = 40,
       .out_h = 12,
       .out_w = 19,
       .kernel_h = 1,
       .kernel_w = 4,
       .stride_w = 2,
       .dilation_w = 1,
       .pad_left = 1},
      {.in_h = 11,
       .in_w = 11,
       .out_h = 3,
       .out_w = 3,
       .kernel_h = 3,
       .kernel_w = 2,
       .stride_h = 3,
       .stride_w = 4,
       .dilation_h = 2,
       .dilation_w = 3},
      {.in_h = 1,
       .in_w = 1,
       .out_h = 3,
       .out_w = 3,
       .kernel_h = 3,
       .kernel_w = 3,
       .pad_top = 2,
       .pad_left = 2},
      {.in_h = 6, .in_w = 6, .out_h = 3, .out_w = 3, .stride_h = 2, .stride_w = 2},
  };
  const int64_t in_c = 3, out_c = 14;
  for (const Window& w : windows) {
    const PlaneLayout layout(w);
    const Floats image = random_floats(in_c * w.in_h * w.in_w, 1);
    const int64_t k = in_c * layout.taps();
    const Floats weights = random_floats(out_c * k, 2);
    Floats planes(static_cast<size_t>(layout.floats(in_c)), NAN);
    std::vector<int64_t> offsets;
    for (int64_t c = 0; c < in_c; ++c) {
      layout.copy(kernels(), image.data() + c * w.in_h * w.in_w, 0.0f,
                  planes.data() + c * layout.plane_floats());
      for (int64_t t = 0; t < layout.taps(); ++t) {
        offsets.push_back(c * layout.plane_floats() + layout.tap_offset(t));
      }
    }
    const int64_t out_area = w.out_h * w.out_w;
    const Floats got = run({.m = out_c,
                            .n = layout.columns(),
                            .k = k,
                            .a = {.data = weights.data(), .row_stride = k},
                            .b = {.data = planes.data(), .row_offsets = offsets.data()},
                            .c_stride = out_area,
                            .row_pitch = layout.pitch(),
                            .row_keep = w.out_w},
                           kernels(), 2, out_c * out_area);
    Floats want;
    for (int64_t o = 0; o < out_c; ++o) {
      for (int64_t y = 0; y < w.out_h; ++y) {
        for (int64_t x = 0; x < w.out_w; ++x) {
          double sum = 0;
          for (int64_t p = 0; p < k; ++p) {
            const int64_t c = p / layout.taps(), tap = p % layout.taps();
            const int64_t iy = y * w.stride_h + tap / w.kernel_w * w.dilation_h - w.pad_top;
            const int64_t ix = x * w.stride_w + tap % w.kernel_w * w.dilation_w - w.pad_left;
            if (iy < 0 || ix < 0 || iy >= w.in_h || ix >= w.in_w) continue;
            sum += static_cast<double>(weights[static_cast<size_t>(o * k + p)]) *
                   static_cast<double>(image[static_cast<size_t>((c * w.in_h + iy) * w.in_w + ix)]);
          }
          want.push_back(static_cast<float>(sum));
        }
      }
    }
    expect_near(got, want, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, GemmLevels, testing::ValuesIn(available_levels()),
                         [](const auto& level) { return std::string(isa_name(level.param)); });

}  // namespace
}  // namespace npugraph::micro
