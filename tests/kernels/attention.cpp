// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

using Attributes = std::vector<std::pair<std::string, AttrValue>>;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Bools, about two of three true; the first `masked` rows of `row` elements are false.
Tensor bools(const Dims& dims, int64_t row, int64_t masked) {
  const Tensor numbers = floats(dims, 9);
  std::vector<double> values;
  for (int64_t i = 0; i < numbers.elements(); ++i) {
    values.push_back(i / row >= masked && numbers.view().load(i) > -0.7 ? 1 : 0);
  }
  return of(DType::kBool, values, dims);
}

/// A float mask with some -infinity; the first row is nothing else.
Tensor biases(const Dims& dims) {
  const Tensor numbers = floats(dims, 8);
  std::vector<double> values;
  for (int64_t i = 0; i < numbers.elements(); ++i) {
    const double value = numbers.view().load(i);
    values.push_back(i < dims.back() || value < -1 ? -kInf : value);
  }
  return of(DType::kF32, values, dims);
}

TEST(AttentionKernel, odd_sizes_and_heads_that_share_keys) {
  struct Sizes {
    int64_t batch, q_heads, kv_heads, queries, keys, d, v_d;
  };
  const Sizes cases[] = {{1, 1, 1, 1, 1, 1, 1},         {2, 3, 3, 5, 7, 8, 8},
                         {1, 4, 2, 13, 33, 16, 12},     {2, 6, 1, 1, 300, 10, 5},
                         {1, 2, 2, 70, 600, 64, 64},    {1, 8, 2, 31, 257, 33, 48},
                         {1, 2, 1, 26, 150, 1100, 700}, {0, 2, 2, 3, 4, 5, 6},
                         {1, 2, 2, 0, 4, 5, 6},         {1, 2, 2, 3, 0, 5, 6}};
  for (const Sizes& s : cases) {
    for (const int64_t causal : {0, 1}) {
      check({.op = "Attention",
             .inputs = {data(floats({s.batch, s.q_heads, s.queries, s.d}, 1)),
                        data(floats({s.batch, s.kv_heads, s.keys, s.d}, 2)),
                        data(floats({s.batch, s.kv_heads, s.keys, s.v_d}, 3))},
             .attrs = {{"is_causal", causal}},
             .kernel = "attention_f32"});
    }
  }
}

TEST(AttentionKernel, heads_side_by_side_in_the_last_axis) {
  for (const int64_t queries : {1, 40}) {
    check({.op = "Attention",
           .inputs = {data(floats({2, queries, 6 * 16}, 1)), data(floats({2, 40, 3 * 16}, 2)),
                      data(floats({2, 40, 3 * 20}, 3))},
           .attrs = {{"q_num_heads", int64_t{6}}, {"kv_num_heads", int64_t{3}}, {"scale", 0.3}},
           .kernel = "attention_f32"});
  }
}

TEST(AttentionKernel, every_kind_of_mask) {
  for (const Dims& dims : {Dims{2, 3, 19, 270}, Dims{19, 270}, Dims{3, 1, 270}, Dims{2, 1, 1, 270},
                           Dims{270}, Dims{2, 1, 19, 260}, Dims{19, 1}}) {
    for (const bool is_bool : {false, true}) {
      for (const int64_t causal : {0, 1}) {
        check({.op = "Attention",
               .inputs = {data(floats({2, 3, 19, 16}, 1)), data(floats({2, 3, 270, 16}, 2)),
                          data(floats({2, 3, 270, 24}, 3)),
                          data(is_bool ? bools(dims, dims.back(), 2) : biases(dims))},
               .attrs = {{"is_causal", causal}},
               .kernel = "attention_f32"});
      }
    }
  }
}

TEST(AttentionKernel, windows_caps_and_padding) {
  for (const Attributes& attrs :
       {Attributes{{"softcap", 2.5}}, Attributes{{"left_window_size", int64_t{3}}},
        Attributes{{"left_window_size", int64_t{0}}, {"right_window_size", int64_t{20}}},
        Attributes{{"left_window_size", int64_t{300}}, {"is_causal", int64_t{1}}}}) {
    for (const bool padded : {false, true}) {
      check({.op = "Attention",
             .inputs = {data(floats({3, 2, 30, 8}, 1)), data(floats({3, 2, 520, 8}, 2)),
                        data(floats({3, 2, 520, 8}, 3)), absent(), absent(), absent(),
                        padded ? data(ints({500, 0, 17})) : absent()},
             .attrs = attrs,
             .kernel = "attention_f32"});
    }
  }
}

TEST(AttentionKernel, past_keys_are_joined_in_the_outputs) {
  for (const int64_t past : {0, 5, 290}) {
    for (const bool is_split : {false, true}) {
      const Attributes heads = {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{2}}};
      const auto operand = [&](int64_t count, int64_t d, uint32_t seed) {
        return data(floats(is_split ? Dims{2, count, 3, d} : Dims{2, 3, count * d}, seed));
      };
      check({.op = "Attention",
             .inputs = {operand(4, 8, 1), operand(2, 8, 2), operand(2, 16, 3), absent(),
                        data(floats({2, 2, past, 8}, 4)), data(floats({2, 2, past, 16}, 5))},
             .attrs = is_split ? Attributes{{"is_causal", int64_t{1}}} : heads,
             .outputs = 3,
             .kernel = "attention_f32"});
    }
  }
}

TEST(AttentionKernel, nan_and_infinity_in_queries_and_keys) {
  for (const bool masked : {false, true}) {
    check({.op = "Attention",
           .inputs = {data(special_floats({1, 2, 30, 8}, 1)), data(floats({1, 2, 40, 8}, 2)),
                      data(floats({1, 2, 40, 8}, 3)), masked ? data(biases({30, 40})) : absent()},
           .kernel = "attention_f32"});
    check({.op = "Attention",
           .inputs = {data(floats({1, 2, 30, 8}, 1)), data(special_floats({1, 2, 40, 8}, 2)),
                      data(floats({1, 2, 40, 8}, 3)), masked ? data(biases({30, 40})) : absent()},
           .kernel = "attention_f32"});
  }
}

TEST(AttentionKernel, large_scores_do_not_overflow) {
  Tensor large = floats({1, 1, 20, 4}, 1);
  for (int64_t i = 0; i < large.elements(); ++i) {
    large.mutable_view().store(i, large.view().load(i) * 1000);
  }
  check({.op = "Attention",
         .inputs = {data(large), data(floats({1, 1, 600, 4}, 2)), data(floats({1, 1, 600, 4}, 3))},
         .kernel = "attention_f32",
         .tolerance = 2e-4});  // scores of 1e3 have steps of 6e-5
}

TEST(AttentionKernel, what_it_does_not_take_goes_to_the_reference) {
  const auto operand = [](uint32_t seed) { return data(floats({1, 1, 3, 4}, seed)); };
  EXPECT_EQ(kernel_name(
                {.op = "Attention", .inputs = {operand(1), operand(2), operand(3)}, .outputs = 4}),
            "reference");
  EXPECT_EQ(kernel_name(
                {.op = "Attention",
                 .inputs = {operand(1), operand(2), operand(3), absent(), operand(4), operand(5)}}),
            "reference");
}

}  // namespace
}  // namespace npugraph::test
