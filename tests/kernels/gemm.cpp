// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

Input operand(Dims dims, uint32_t seed, bool is_constant) {
  return {floats(std::move(dims), seed), is_constant, false};
}

TEST(GemmKernel, every_transposition_and_every_addend) {
  for (const bool constant_b : {false, true}) {
    for (const int64_t a : {0, 1}) {
      for (const int64_t b : {0, 1}) {
        for (const Dims& c : {Dims{}, Dims{1}, Dims{19}, Dims{1, 19}, Dims{7, 1}, Dims{7, 19}}) {
          check({.op = "Gemm",
                 .inputs = {operand(a ? Dims{33, 7} : Dims{7, 33}, 1, false),
                            operand(b ? Dims{19, 33} : Dims{33, 19}, 2, constant_b),
                            operand(c, 3, false)},
                 .attrs = {{"transA", a}, {"transB", b}},
                 .kernel = "gemm_f32"});
        }
      }
    }
  }
}

TEST(GemmKernel, sizes_one_and_zero_and_no_addend) {
  for (const auto& [m, k, n] : {std::tuple{1, 1, 1},
                                {1, 300, 70},
                                {0, 4, 5},
                                {4, 0, 5},
                                {4, 5, 0},
                                {1, 5, 1},
                                {50, 3, 1}}) {
    check({.op = "Gemm",
           .inputs = {operand({m, k}, 1, false), operand({k, n}, 2, true)},
           .kernel = "gemm_f32"});
  }
}

TEST(GemmKernel, factors_are_left_to_the_reference) {
  EXPECT_EQ(kernel_name({.op = "Gemm",
                         .inputs = {operand({2, 3}, 1, false), operand({3, 2}, 2, true)},
                         .attrs = {{"alpha", 0.5}}}),
            "reference");
}

TEST(FusedGemmKernel, bias_residual_and_activation) {
  for (const char* activation : {"", "Relu", "Gelu", "Sigmoid"}) {
    for (const bool residual : {false, true}) {
      for (const bool bias : {false, true}) {
        check({.op = "FusedGemm",
               .inputs = {data(floats({2, 5, 40}, 1)), constant(floats({40, 33}, 2)),
                          bias ? constant(floats({33}, 3)) : absent(),
                          residual ? data(floats({2, 5, 33}, 4)) : absent()},
               .attrs = {{"activation", std::string(activation)}},
               .domain = "npugraph",
               .kernel = "fused_gemm_f32"});
      }
    }
  }
}

TEST(MatmulKernel, batches_broadcast_by_numpy_rules) {
  const std::pair<Dims, Dims> shapes[] = {{{5, 7}, {7, 9}},
                                          {{7}, {7, 9}},
                                          {{5, 7}, {7}},
                                          {{7}, {7}},
                                          {{3, 5, 7}, {7, 9}},
                                          {{3, 5, 7}, {3, 7, 9}},
                                          {{2, 1, 5, 7}, {3, 7, 9}},
                                          {{5, 7}, {4, 7, 9}},
                                          {{1, 5, 7}, {4, 7, 1}},
                                          {{2, 3, 5, 7}, {1, 1, 7, 9}},
                                          {{0, 5, 7}, {7, 9}},
                                          {{5, 0}, {0, 9}},
                                          {{2, 12, 40, 64}, {2, 12, 64, 40}},
                                          {{1, 2, 1, 64}, {1, 2, 64, 50}}};
  for (const auto& [a, b] : shapes) {
    for (const bool constant_b : {false, true}) {
      check({.op = "MatMul",
             .inputs = {operand(a, 1, false), operand(b, 2, constant_b)},
             .kernel = "mat_mul_f32"});
    }
  }
}

TEST(MatmulKernel, nan_and_infinity_follow_ieee) {
  check({.op = "MatMul",
         .inputs = {data(special_floats({9, 5}, 1)), constant(floats({5, 40}, 2))},
         .kernel = "mat_mul_f32"});
}

}  // namespace
}  // namespace npugraph::test
