// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "npugraph/ops/nn/window.h"
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

struct Case {
  int64_t input, kernel, stride, dilation, pad_begin, pad_end;
  ops::WindowAxis axis() const { return {Dim(kernel), stride, dilation, pad_begin, pad_end}; }
  int64_t spare() const { return input + pad_begin + pad_end - dilation * (kernel - 1) - 1; }
};

/// Random windows that fit at least once.
Case random_case(std::mt19937& random) {
  const auto from = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (;;) {
    Case one{from(1, 500), from(1, 9), from(1, 7), from(1, 5), 0, 0};
    const int64_t reach = one.dilation * (one.kernel - 1) + 1;
    one.pad_begin = from(0, reach);
    one.pad_end = from(0, 2 * reach);
    if (one.spare() >= 0) return one;
  }
}

/// Counts windows by laying them down one after the other.
int64_t counted(const Case& one, bool ceil_mode) {
  const int64_t reach = one.dilation * (one.kernel - 1) + 1;
  int64_t count = 0;
  for (int64_t start = -one.pad_begin;; start += one.stride, ++count) {
    const int64_t end = one.input + one.pad_end;
    if (start + reach <= end) continue;
    // One more may hang over the end when rounding up, if it is not wholly past a full window and
    // starts before the end padding.
    const bool hangs = start + reach < end + one.stride && start < one.input;
    return count + (ceil_mode && hangs ? 1 : 0);
  }
}

TEST(Window, symbolic_count_agrees_with_10000_cases) {
  std::mt19937 random(11);
  for (int i = 0; i < 10000; ++i) {
    const Case one = random_case(random);
    const Dim count = ops::window_count(Dim::symbol("h"), one.axis());
    const auto number = count.evaluate({{"h", one.input}});
    ASSERT_TRUE(number.has_value()) << count;
    ASSERT_EQ(*number, one.spare() / one.stride + 1) << count << " for h = " << one.input;
    ASSERT_EQ(*number, counted(one, false)) << count << " for h = " << one.input;
    ASSERT_EQ(ops::window_count(Dim(one.input), one.axis()), Dim(*number));
  }
}

TEST(Window, symbolic_count_agrees_with_10000_cases_in_ceil_mode) {
  std::mt19937 random(12);
  for (int i = 0; i < 10000; ++i) {
    const Case one = random_case(random);
    // The last window must start inside the input or the padding before it.
    int64_t expected = (one.spare() + one.stride - 1) / one.stride + 1;
    while ((expected - 1) * one.stride >= one.input + one.pad_begin) --expected;
    const Dim count = ops::window_count(Dim::symbol("h"), one.axis(), true);
    const auto number = count.evaluate({{"h", one.input}});
    ASSERT_TRUE(number.has_value()) << count;
    ASSERT_EQ(*number, expected) << count << " for h = " << one.input << ", stride " << one.stride;
    ASSERT_EQ(ops::window_count(Dim(one.input), one.axis(), true), Dim(*number));
    if (one.pad_end <= one.dilation * (one.kernel - 1)) {
      ASSERT_EQ(*number, counted(one, true)) << count << " for h = " << one.input;
    }
  }
}

TEST(Window, symbolic_count_agrees_with_1000_convolutions) {
  std::mt19937 random(13);
  for (int i = 0; i < 1000; ++i) {
    const Case one = random_case(random);
    Node node("Conv");
    node.attr("strides", Ints{one.stride})
        .attr("dilations", Ints{one.dilation})
        .attr("pads", Ints{one.pad_begin, one.pad_end})
        .in(type("[1, 1, h]"))
        .in(TensorType{DType::kF32, {Dim(1), Dim(1), Dim(one.kernel)}});
    const auto out = node.infer();
    ASSERT_TRUE(out.has_value());
    const auto number = (*out)[0].type.shape[2].evaluate({{"h", one.input}});
    ASSERT_TRUE(number.has_value());
    ASSERT_EQ(*number, one.spare() / one.stride + 1);
  }
}

TEST(Window, same_padding_covers_the_input) {
  for (int64_t input = 1; input < 20; ++input)
    for (int64_t stride = 1; stride < 5; ++stride) {
      const auto count =
          ops::window_output(Dim(input), {Dim(3), stride, 1, 0, 0}, ops::AutoPad::kSameUpper);
      ASSERT_TRUE(count.has_value());
      EXPECT_EQ(count->value(), (input + stride - 1) / stride);
    }
}

}  // namespace
}  // namespace npugraph::testing
