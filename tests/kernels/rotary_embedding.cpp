// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

TEST(RotaryEmbeddingKernel, both_orders_of_pairs_and_partial_heads) {
  for (const int64_t interleaved : {0, 1}) {
    for (const int64_t turned : {0, 4, 10}) {
      const int64_t half = turned == 0 ? 5 : turned / 2;
      check({.op = "RotaryEmbedding",
             .inputs = {data(floats({2, 3, 7, 10}, 1)), data(floats({2, 7, half}, 2)),
                        data(floats({2, 7, half}, 3))},
             .attrs = {{"interleaved", interleaved}, {"rotary_embedding_dim", turned}},
             .kernel = "rotary_embedding_f32"});
      check({.op = "RotaryEmbedding",
             .inputs = {data(floats({2, 7, 30}, 1)), data(floats({2, 7, half}, 2)),
                        data(floats({2, 7, half}, 3))},
             .attrs = {{"interleaved", interleaved},
                       {"num_heads", int64_t{3}},
                       {"rotary_embedding_dim", turned}},
             .kernel = "rotary_embedding_f32"});
    }
  }
}

TEST(RotaryEmbeddingKernel, angles_by_position) {
  const Tensor positions = of(DType::kI64, {0, 1, 2, 3, 8, 8, -1, 4}, {2, 4});
  check({.op = "RotaryEmbedding",
         .inputs = {data(floats({2, 1, 4, 6}, 1)), data(floats({9, 3}, 2)), data(floats({9, 3}, 3)),
                    data(positions)},
         .kernel = "rotary_embedding_f32"});
  check_fails({.op = "RotaryEmbedding",
               .inputs = {data(floats({2, 1, 4, 6}, 1)), data(floats({8, 3}, 2)),
                          data(floats({8, 3}, 3)), data(positions)},
               .kernel = "rotary_embedding_f32"},
              ErrorId::kIndexOutOfRange);
}

}  // namespace
}  // namespace npugraph::test
