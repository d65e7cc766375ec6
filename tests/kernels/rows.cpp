// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

TEST(SoftmaxKernel, every_axis) {
  for (const auto& [op, kernel] :
       {std::pair{"Softmax", "softmax_f32"}, {"LogSoftmax", "log_softmax_f32"}}) {
    for (const int64_t axis : {-1, 0, 1}) {
      check({.op = op,
             .inputs = {data(floats({3, 37, 5}))},
             .attrs = {{"axis", axis}},
             .kernel = kernel,
             .tolerance = 2e-6});
    }
    check({.op = op, .inputs = {data(floats({40, 200}))}, .kernel = kernel, .tolerance = 2e-6});
    check({.op = op, .inputs = {data(floats({5, 1}))}, .kernel = kernel, .tolerance = 2e-6});
    check({.op = op, .inputs = {data(floats({0, 4}))}, .kernel = kernel});
    check({.op = op, .inputs = {data(floats({4, 0}))}, .kernel = kernel});
  }
}

TEST(SoftmaxKernel, large_values_and_masked_ones) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  check({.op = "Softmax",
         .inputs = {data(Tensor::of_floats({1e30f, 1e30f, -1e30f, -kInf}, {1, 4}))},
         .kernel = "softmax_f32",
         .tolerance = 1e-6});
}

TEST(LayerNormalizationKernel, rows_with_and_without_bias) {
  for (const int64_t length : {1, 5, 33, 768}) {
    for (const bool bias : {false, true}) {
      std::vector<Input> inputs = {data(floats({3, 2, length}, 1)), constant(floats({length}, 2))};
      if (bias) inputs.push_back(constant(floats({length}, 3)));
      check({.op = "LayerNormalization",
             .inputs = inputs,
             .kernel = "layer_normalization_f32",
             .tolerance = 2e-5});
    }
  }
  check({.op = "LayerNormalization",
         .inputs = {data(floats({3, 2, 7}, 1)), constant(floats({2, 7}, 2))},
         .attrs = {{"axis", int64_t{1}}},
         .outputs = 3,
         .kernel = "layer_normalization_f32",
         .tolerance = 2e-5});
}

TEST(RmsNormalizationKernel, rows_of_every_length) {
  for (const int64_t length : {1, 5, 33, 768, 9001}) {
    check({.op = "RMSNormalization",
           .inputs = {data(floats({3, 2, length}, 1)), constant(floats({length}, 2))},
           .kernel = "rms_normalization_f32",
           .tolerance = 2e-6});
  }
  check({.op = "RMSNormalization",
         .inputs = {data(floats({3, 2, 7}, 1)), data(floats({2, 7}, 2))},
         .attrs = {{"axis", int64_t{1}}, {"epsilon", 0.25}},
         .kernel = "rms_normalization_f32",
         .tolerance = 2e-6});
  check({.op = "RMSNormalization",
         .inputs = {data(special_floats({9, 37}, 1)), constant(floats({37}, 2))},
         .kernel = "rms_normalization_f32",
         .tolerance = 2e-6});
  for (const Dims& dims : {Dims{0, 4}, Dims{4, 0}}) {
    check({.op = "RMSNormalization",
           .inputs = {data(floats(dims)), constant(floats({dims[1]}))},
           .kernel = "rms_normalization_f32"});
  }
}

TEST(RmsNormalizationKernel, a_repeated_scale_is_left_to_the_reference) {
  EXPECT_EQ(kernel_name({.op = "RMSNormalization",
                         .inputs = {data(floats({3, 7})), constant(floats({1}))}}),
            "reference");
}

TEST(GroupNormalizationKernel, groups_of_channels) {
  for (const Dims& dims : {Dims{2, 6, 5, 7}, Dims{3, 6}, Dims{1, 6, 1}, Dims{2, 6, 33}, Dims{0, 6},
                           Dims{1, 6, 0}, Dims{1, 6, 40, 41}}) {
    for (const int64_t groups : {1, 2, 3, 6}) {
      check({.op = "GroupNormalization",
             .inputs = {data(floats(dims, 1)), constant(floats({6}, 2)), data(floats({6}, 3))},
             .attrs = {{"num_groups", groups}, {"epsilon", 0.01}},
             .kernel = "group_normalization_f32",
             .tolerance = 1e-5});
    }
  }
}

TEST(InstanceNormalizationKernel, planes) {
  for (const Dims& dims :
       {Dims{2, 3, 5, 7}, Dims{4, 3, 1}, Dims{1, 3, 2, 3, 4}, Dims{0, 3, 2}, Dims{1, 3, 90, 91}}) {
    check({.op = "InstanceNormalization",
           .inputs = {data(floats(dims, 1)), constant(floats({3}, 2)), constant(floats({3}, 3))},
           .attrs = {{"epsilon", 0.01}},
           .kernel = "instance_normalization_f32",
           .tolerance = 1e-5});
  }
  check({.op = "InstanceNormalization",
         .inputs = {data(special_floats({2, 3, 50}, 1)), constant(floats({3}, 2)),
                    constant(floats({3}, 3))},
         .kernel = "instance_normalization_f32",
         .tolerance = 1e-5});
}

TEST(BatchNormalizationKernel, channels) {
  for (const Dims& dims : {Dims{2, 3, 5, 7}, Dims{4, 3}, Dims{0, 3, 2, 2}, Dims{1, 3, 1}}) {
    check({.op = "BatchNormalization",
           .inputs = {data(special_floats(dims, 1)), constant(floats({3}, 2)),
                      constant(floats({3}, 3)), constant(floats({3}, 4)),
                      constant(Tensor::of_floats({0.5f, 1.5f, 4.0f}, {3}))},
           .kernel = "batch_normalization_f32",
           .tolerance = 1e-6});
  }
}

TEST(LrnKernel, windows_of_channels) {
  for (const int64_t size : {1, 2, 5, 9}) {
    for (const double beta : {0.75, 0.5}) {
      check({.op = "LRN",
             .inputs = {data(floats({2, 7, 5, 130}))},
             .attrs = {{"size", size}, {"alpha", 0.02}, {"beta", beta}, {"bias", 1.5}},
             .kernel = "lrn_f32",
             .tolerance = 2e-6});
    }
  }
  check({.op = "LRN",
         .inputs = {data(special_floats({1, 7, 9}))},
         .attrs = {{"size", int64_t{3}}},
         .kernel = "lrn_f32",
         .tolerance = 2e-6});
}

TEST(ReduceKernel, neighbouring_axes) {
  for (const auto& [op, kernel] : {std::pair{"ReduceSum", "reduce_sum_f32"},
                                   {"ReduceMean", "reduce_mean_f32"},
                                   {"ReduceMax", "reduce_max_f32"}}) {
    for (const std::vector<int64_t>& axes :
         {std::vector<int64_t>{-1}, {0}, {1}, {1, 2}, {0, 1, 2}, {2, 3}, {3, 2, 1, 0}}) {
      for (const int64_t keep : {0, 1}) {
        check({.op = op,
               .inputs = {data(floats({2, 3, 17, 21})), constant(ints(axes))},
               .attrs = {{"keepdims", keep}},
               .kernel = kernel,
               .tolerance = 2e-6});
      }
      check({.op = op,
             .inputs = {data(special_floats({3, 4, 5, 6})), constant(ints(axes))},
             .kernel = kernel,
             .tolerance = 2e-6});
    }
    check({.op = op, .inputs = {data(floats({5, 3}))}, .kernel = kernel, .tolerance = 2e-6});
    check({.op = op, .inputs = {data(floats({5, 0})), constant(ints({1}))}, .kernel = kernel});
    check({.op = op, .inputs = {data(floats({0, 5})), constant(ints({1}))}, .kernel = kernel});
    check({.op = op, .inputs = {data(floats({0, 5})), constant(ints({0}))}, .kernel = kernel});
  }
}

TEST(GlobalPoolKernel, whole_planes) {
  for (const Dims& dims : {Dims{2, 3, 7, 9}, Dims{1, 2, 1, 1}, Dims{1, 2, 300}, Dims{0, 2, 3, 3}}) {
    check({.op = "GlobalAveragePool",
           .inputs = {data(floats(dims))},
           .kernel = "global_average_pool_f32",
           .tolerance = 2e-6});
    check({.op = "GlobalMaxPool",
           .inputs = {data(special_floats(dims))},
           .kernel = "global_max_pool_f32",
           .tolerance = 0});
  }
}

Case pool(const char* op, Tensor x, std::vector<std::pair<std::string, AttrValue>> attrs) {
  return {.op = op,
          .inputs = {data(std::move(x))},
          .attrs = std::move(attrs),
          .kernel = op == std::string("MaxPool") ? "max_pool_f32" : "average_pool_f32",
          .tolerance = 2e-6};
}

TEST(PoolKernel, windows_padding_and_ceil_mode) {
  for (const char* op : {"MaxPool", "AveragePool"}) {
    for (const int64_t ceil : {0, 1}) {
      for (const Tensor& x : {floats({2, 3, 13, 12}), special_floats({1, 2, 13, 12})}) {
        check(pool(op, x,
                   {{"kernel_shape", Ints{3, 3}},
                    {"strides", Ints{2, 2}},
                    {"pads", Ints{1, 1, 1, 1}},
                    {"ceil_mode", ceil}}));
        check(pool(op, x,
                   {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", ceil}}));
        check(pool(op, x,
                   {{"kernel_shape", Ints{5, 3}},
                    {"strides", Ints{1, 1}},
                    {"pads", Ints{2, 1, 2, 0}},
                    {"ceil_mode", ceil}}));
        check(pool(op, x,
                   {{"kernel_shape", Ints{2, 3}},
                    {"strides", Ints{3, 1}},
                    {"dilations", Ints{2, 2}},
                    {"ceil_mode", ceil}}));
      }
    }
    check(pool(op, floats({2, 3, 29}),
               {{"kernel_shape", Ints{4}}, {"strides", Ints{3}}, {"pads", Ints{1, 2}}}));
    check(pool(op, floats({1, 1, 1, 1}), {{"kernel_shape", Ints{1, 1}}}));
    check(pool(op, floats({0, 1, 4, 4}), {{"kernel_shape", Ints{2, 2}}}));
    check(pool(op, floats({1, 2, 9, 7}),
               {{"kernel_shape", Ints{2, 2}},
                {"strides", Ints{2, 2}},
                {"auto_pad", std::string("SAME_LOWER")}}));
  }
  check(pool("AveragePool", floats({1, 2, 9, 9}),
             {{"kernel_shape", Ints{3, 3}},
              {"strides", Ints{2, 2}},
              {"pads", Ints{1, 1, 1, 1}},
              {"ceil_mode", int64_t{1}},
              {"count_include_pad", int64_t{1}}}));
}

Case lstm(int64_t steps, int64_t batch, int64_t inputs, int64_t hidden, const char* direction,
          int64_t layout) {
  const int64_t d = direction == std::string("bidirectional") ? 2 : 1;
  const Dims x = layout ? Dims{batch, steps, inputs} : Dims{steps, batch, inputs};
  const Dims state = layout ? Dims{batch, d, hidden} : Dims{d, batch, hidden};
  return {
      .op = "LSTM",
      .inputs = {data(floats(x, 1)), constant(floats({d, 4 * hidden, inputs}, 2)),
                 constant(floats({d, 4 * hidden, hidden}, 3)), constant(floats({d, 8 * hidden}, 4)),
                 absent(), data(floats(state, 5)), data(floats(state, 6)),
                 constant(floats({d, 3 * hidden}, 7))},
      .attrs = {{"hidden_size", hidden}, {"direction", std::string(direction)}, {"layout", layout}},
      .outputs = 3,
      .kernel = "lstm_f32",
      .tolerance = 2e-5};
}

TEST(LstmKernel, directions_layouts_and_optional_inputs) {
  for (const char* direction : {"forward", "reverse", "bidirectional"}) {
    for (const int64_t layout : {0, 1}) {
      Case test = lstm(4, 3, 5, 7, direction, layout);
      check(test);
      test.inputs.resize(4);  // no states, no peepholes
      check(test);
      test.inputs.resize(3);
      check(test);
      test.outputs = 1;
      check(test);
    }
  }
  check(lstm(1, 1, 1, 1, "forward", 0));
  check(lstm(5, 1, 40, 33, "bidirectional", 0));
}

TEST(LstmKernel, sequence_lengths_and_other_activations_are_left_to_the_reference) {
  Case test = lstm(2, 1, 2, 2, "forward", 0);
  test.inputs[4] = data(of(DType::kI32, {1}, {1}));
  EXPECT_EQ(kernel_name(test), "reference");
  test = lstm(2, 1, 2, 2, "forward", 0);
  test.attrs.emplace_back("activations", Strings{"Sigmoid", "Relu", "Tanh"});
  EXPECT_EQ(kernel_name(test), "reference");
}

}  // namespace
}  // namespace npugraph::test
