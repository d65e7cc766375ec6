// SPDX-License-Identifier: Apache-2.0
// Kernels marked fast: found only where they may be, and as near as their files say.
#include <gtest/gtest.h>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

Case softmax(bool fast) {
  return {.op = "Softmax",
          .inputs = {data(floats({3, 37, 5}))},
          .kernel = fast ? "softmax_fast_f32" : "softmax_f32",
          .tolerance = fast ? 2e-4 : 2e-6,
          .allow_fast = fast};
}

TEST(FastKernels, are_found_only_where_they_may_be) {
  EXPECT_EQ(kernel_name(softmax(false)), "softmax_f32");
  EXPECT_EQ(kernel_name(softmax(true)), "softmax_fast_f32");
}

TEST(FastKernels, an_operator_without_one_keeps_its_precise_kernel) {
  EXPECT_EQ(kernel_name({.op = "Tanh", .inputs = {data(floats({3}))}, .allow_fast = true}),
            "tanh_f32");
  EXPECT_EQ(kernel_name({.op = "Sin", .inputs = {data(floats({3}))}, .allow_fast = true}),
            "reference");
}

TEST(FastKernels, softmax_over_every_axis) {
  for (const int64_t axis : {-1, 0, 1}) {
    Case test = softmax(true);
    test.attrs = {{"axis", axis}};
    check(test);
  }
}

TEST(FastKernels, gelu) {
  // The bound is absolute, so each tensor has elements near 2.
  for (const int64_t length : {7, 100, 4099}) {
    check({.op = "Gelu",
           .inputs = {data(floats({length}))},
           .kernel = "gelu_fast_f32",
           .tolerance = 5e-4,
           .allow_fast = true});
  }
}

TEST(FastKernels, gelu_behind_a_product) {
  check({.op = "FusedGemm",
         .inputs = {data(floats({5, 7})), constant(floats({7, 9}, 2)), constant(floats({9}, 3))},
         .attrs = {{"activation", std::string("Gelu")}},
         .domain = "npugraph",
         .kernel = "fused_gemm_fast_f32",
         .tolerance = 5e-4,
         .allow_fast = true});
}

TEST(FastKernels, layer_normalization) {
  for (const int64_t length : {5, 33, 768}) {
    check({.op = "LayerNormalization",
           .inputs = {data(floats({3, 2, length}, 1)), constant(floats({length}, 2)),
                      constant(floats({length}, 3))},
           .kernel = "layer_normalization_fast_f32",
           .tolerance = 1e-4,
           .allow_fast = true});
  }
}

}  // namespace
}  // namespace npugraph::test
