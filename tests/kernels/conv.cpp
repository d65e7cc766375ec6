// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

Case conv(Dims x, Dims w, std::vector<std::pair<std::string, AttrValue>> attrs = {},
          bool bias = true) {
  Case test = {.op = "Conv",
               .inputs = {data(floats(x, 1)), constant(floats(w, 2))},
               .attrs = std::move(attrs),
               .kernel = "conv_f32"};
  if (bias) test.inputs.push_back(constant(floats({w[0]}, 3)));
  return test;
}

TEST(ConvKernel, pointwise) {
  check(conv({1, 5, 7, 9}, {13, 5, 1, 1}));
  check(conv({3, 1, 1, 1}, {1, 1, 1, 1}, {}, false));
  check(conv({2, 300, 6, 11}, {40, 300, 1, 1}));
  check(conv({2, 6, 4, 4}, {9, 2, 1, 1}, {{"group", int64_t{3}}}));
}

TEST(ConvKernel, windows_with_padding_strides_and_dilations) {
  check(conv({1, 3, 8, 9}, {4, 3, 3, 3}, {{"pads", Ints{1, 1, 1, 1}}}));
  check(conv({2, 3, 13, 11}, {17, 3, 7, 7}, {{"pads", Ints{3, 3, 3, 3}}, {"strides", Ints{2, 2}}}));
  check(conv({1, 2, 12, 15}, {5, 2, 3, 2},
             {{"pads", Ints{0, 1, 2, 3}}, {"strides", Ints{3, 2}}, {"dilations", Ints{2, 3}}}));
  check(conv({1, 4, 5, 5}, {6, 4, 1, 1}, {{"strides", Ints{2, 2}}}));
  check(conv({1, 4, 5, 5}, {6, 4, 1, 1}, {{"pads", Ints{1, 0, 0, 2}}}));
  check(conv({1, 1, 1, 1}, {2, 1, 3, 3}, {{"pads", Ints{2, 2, 2, 2}}}));
  check(conv({1, 40, 30, 31}, {50, 40, 3, 3}, {{"pads", Ints{1, 1, 1, 1}}}));
}

TEST(ConvKernel, auto_pad) {
  for (const char* mode : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    check(conv({1, 2, 9, 10}, {3, 2, 4, 3},
               {{"auto_pad", std::string(mode)}, {"strides", Ints{2, 2}}}));
  }
}

TEST(ConvKernel, one_spatial_axis) {
  check(conv({2, 3, 20}, {5, 3, 5}, {{"pads", Ints{2, 2}}}));
  check(conv({1, 4, 33}, {8, 1, 3}, {{"group", int64_t{4}}, {"strides", Ints{2}}}));
  check(conv({1, 1, 700}, {6, 1, 256}, {{"strides", Ints{64}}}, false));
}

TEST(ConvKernel, groups_and_depthwise) {
  check(conv({2, 6, 7, 8}, {9, 2, 3, 3}, {{"group", int64_t{3}}, {"pads", Ints{1, 1, 1, 1}}}));
  check(conv({2, 5, 7, 8}, {5, 1, 3, 3}, {{"group", int64_t{5}}, {"pads", Ints{1, 1, 1, 1}}}));
  check(conv({1, 4, 40, 61}, {8, 1, 5, 5},
             {{"group", int64_t{4}}, {"pads", Ints{2, 2, 2, 2}}, {"strides", Ints{2, 2}}}));
  check(conv({1, 3, 7, 7}, {3, 1, 7, 7}, {{"group", int64_t{3}}}));
  check(conv({1, 2, 1, 1}, {2, 1, 3, 3}, {{"group", int64_t{2}}, {"pads", Ints{1, 1, 1, 1}}}));
}

TEST(ConvKernel, empty_batch_and_empty_channels) {
  check(conv({0, 3, 5, 5}, {4, 3, 3, 3}));
  check(conv({0, 3, 5, 5}, {4, 3, 1, 1}));
  check(conv({0, 4, 5, 5}, {4, 1, 3, 3}, {{"group", int64_t{4}}}));
  check(conv({1, 0, 5, 5}, {4, 0, 3, 3}));
}

TEST(ConvKernel, weights_that_are_not_constant) {
  Case test = conv({1, 3, 8, 9}, {14, 3, 3, 3});
  test.inputs[1].is_constant = false;
  check(test);
  test = conv({2, 4, 8, 9}, {4, 1, 3, 3}, {{"group", int64_t{4}}});
  test.inputs[1].is_constant = false;
  check(test);
}

TEST(ConvKernel, nan_spreads_to_its_windows_only) {
  std::vector<float> x(9 * 9, 0.5f);
  x[40] = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t group : {1, 2}) {
    std::vector<float> both = x;
    both.insert(both.end(), 81, 1.0f);
    Case test =
        conv({1, 2, 9, 9}, {2, 2 / group, 3, 3}, {{"group", group}, {"pads", Ints{1, 1, 1, 1}}});
    test.inputs[0] = data(Tensor::of_floats(both, {1, 2, 9, 9}));
    check(test);
  }
}

TEST(ConvKernel, three_spatial_axes_are_left_to_the_reference) {
  EXPECT_EQ(kernel_name(conv({1, 2, 3, 4, 5}, {2, 2, 1, 1, 1})), "reference");
}

struct Epilogue {
  std::string activation;
  Floats params;
};

TEST(FusedConvKernel, bias_residual_and_every_activation) {
  const Epilogue epilogues[] = {{"", {}},
                                {"Relu", {}},
                                {"Clip", {-0.5, 3.0}},
                                {"LeakyRelu", {0.1}},
                                {"HardSwish", {}},
                                {"HardSigmoid", {0.2, 0.5}},
                                {"Sigmoid", {}},
                                {"Tanh", {}},
                                {"Silu", {}},
                                {"Gelu", {}}};
  for (const Epilogue& epilogue : epilogues) {
    for (const bool residual : {false, true}) {
      for (const Dims& w : {Dims{6, 4, 1, 1}, Dims{6, 4, 3, 3}, Dims{4, 1, 3, 3}}) {
        const int64_t pad = w[2] / 2;
        const Input rest = residual ? data(floats({2, w[0], 5, 7}, 9)) : absent();
        check({.op = "FusedConv",
               .inputs = {data(floats({2, 4, 5, 7}, 1)), constant(floats(w, 2)),
                          constant(floats({w[0]}, 3)), rest},
               .attrs = {{"pads", Ints{pad, pad, pad, pad}},
                         {"group", w[1] == 1 ? int64_t{4} : int64_t{1}},
                         {"activation", epilogue.activation},
                         {"activation_params", epilogue.params}},
               .domain = "npugraph",
               .kernel = "fused_conv_f32"});
      }
    }
  }
}

TEST(ConvTransposeKernel, windows_padding_and_groups) {
  const auto transpose = [](Dims x, Dims w, std::vector<std::pair<std::string, AttrValue>> attrs) {
    const int64_t group = w[0] == x[1] && !attrs.empty() && attrs[0].first == "group"
                              ? std::get<int64_t>(attrs[0].second)
                              : 1;
    check({.op = "ConvTranspose",
           .inputs = {data(floats(x, 1)), constant(floats(w, 2)),
                      constant(floats({w[1] * group}, 3))},
           .attrs = std::move(attrs),
           .kernel = "conv_transpose_f32"});
  };
  transpose({1, 4, 5, 6}, {4, 3, 2, 2}, {{"strides", Ints{2, 2}}});
  transpose({2, 3, 4, 5}, {3, 2, 3, 3},
            {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}});
  transpose({1, 4, 5, 6}, {4, 2, 3, 3}, {{"group", int64_t{2}}, {"dilations", Ints{2, 1}}});
  transpose({1, 2, 7}, {2, 3, 4}, {{"strides", Ints{3}}, {"pads", Ints{2, 1}}});
  transpose({1, 2, 5, 5}, {2, 2, 3, 3},
            {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{2, 2}}});
  transpose({1, 2, 5, 5}, {2, 2, 3, 3},
            {{"auto_pad", std::string("SAME_LOWER")}, {"strides", Ints{2, 2}}});
  transpose({0, 2, 5, 5}, {2, 2, 3, 3}, {});
}

}  // namespace
}  // namespace npugraph::test
