// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "npugraph/tensor/half.h"

namespace npugraph {
namespace {

TEST(half, f16_known_bit_patterns) {  // IEEE 754 binary16
  EXPECT_EQ(f64_to_f16(1.0), 0x3c00);
  EXPECT_EQ(f64_to_f16(-2.0), 0xc000);
  EXPECT_EQ(f64_to_f16(65504.0), 0x7bff);
  EXPECT_EQ(f64_to_f16(65520.0), 0x7c00);  // rounds to infinity
  EXPECT_EQ(f64_to_f16(65519.99), 0x7bff);
  EXPECT_EQ(f64_to_f16(0x1p-24), 0x0001);        // smallest subnormal
  EXPECT_EQ(f64_to_f16(0x1p-25), 0x0000);        // tie to even
  EXPECT_EQ(f64_to_f16(1.0 + 0x1p-11), 0x3c00);  // tie to even
  EXPECT_EQ(f64_to_f16(1.0 + 0x1.8p-10), 0x3c02);
  EXPECT_EQ(f64_to_f16(-0.0), 0x8000);
  EXPECT_TRUE(std::isnan(f16_to_f32(0x7e00)));
}

TEST(half, every_f16_and_bf16_survives_the_round_trip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    if (const float value = f16_to_f32(half); !std::isnan(value)) {
      ASSERT_EQ(f64_to_f16(static_cast<double>(value)), half);
    }
    if (const float value = bf16_to_f32(half); !std::isnan(value)) {
      ASSERT_EQ(f64_to_bf16(static_cast<double>(value)), half);
    }
  }
}

TEST(half, every_f8_survives_the_round_trip) {
  for (const F8Format format : {kF8E4M3FN, kF8E4M3FNUZ, kF8E5M2, kF8E5M2FNUZ}) {
    for (int bits = 0; bits < 256; ++bits) {
      const float value = f8_to_f32(static_cast<uint8_t>(bits), format);
      if (std::isnan(value) || std::isinf(value)) continue;
      ASSERT_EQ(f64_to_f8(static_cast<double>(value), format), bits) << value;
    }
  }
  EXPECT_EQ(f8_to_f32(0x7e, kF8E4M3FN), 448.0f);  // largest finite, OCP OFP8
  EXPECT_EQ(f8_to_f32(0x7b, kF8E5M2), 57344.0f);
  EXPECT_EQ(f64_to_f8(1e9, kF8E4M3FN), 0x7e);  // saturates
}

TEST(tensor, four_bit_elements_pack_low_half_first) {
  auto tensor = Tensor::zeros(DType::kI4, {3});
  ASSERT_TRUE(tensor);
  const TensorView view = tensor->mutable_view();
  view.store_int(0, -8);
  view.store_int(1, 7);
  view.store_int(2, -1);
  EXPECT_EQ(tensor->bytes().size(), 2u);
  EXPECT_EQ(tensor->bytes()[0], std::byte{0x78});
  EXPECT_EQ(view.load_int(0), -8);
  EXPECT_EQ(view.load_int(2), -1);
}

TEST(tensor, storing_a_double_saturates_integers) {
  auto tensor = Tensor::zeros(DType::kI8, {2});
  const TensorView view = tensor->mutable_view();
  view.store(0, 1e30);
  view.store(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(view.load_int(0), 127);
  EXPECT_EQ(view.load_int(1), 0);
}

TEST(tensor, refuses_sizes_that_cannot_be) {
  EXPECT_EQ(Tensor::zeros(DType::kF32, {-1}).error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(Tensor::zeros(DType::kF32, {int64_t{1} << 40, int64_t{1} << 40}).error().id,
            ErrorId::kSizeOverflow);
  EXPECT_EQ(Tensor::zeros(DType::kF64, {int64_t{1} << 56}).error().id, ErrorId::kOutOfMemory);
  EXPECT_EQ(Tensor::copy(DType::kF32, {2}, {}).error().id, ErrorId::kShapeMismatch);
}

TEST(shape, prints_and_parses) {
  for (const char* text : {"[]", "[1, 3, h, 2*w + 1]", "[*]", "[floordiv(h, 2), 4]"}) {
    const auto shape = Shape::parse(text);
    ASSERT_TRUE(shape) << text;
    EXPECT_EQ(shape->str(), text);
  }
  EXPECT_FALSE(Shape::parse("1, 2"));
}

TEST(shape, broadcasts_as_onnx_does) {
  const auto shape = broadcast_shapes(Shape{1, Dim::symbol("n"), 3}, Shape{4, 1, 3});
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->str(), "[4, n, 3]");
  EXPECT_EQ(broadcast_shapes(Shape{2}, Shape{3}).error().id, ErrorId::kShapeMismatch);
}

TEST(shape, wraps_an_axis_or_names_the_range) {
  EXPECT_EQ(*wrap_axis(-1, 3), 2);
  EXPECT_EQ(wrap_axis(3, 3).error().expected, "-3..2");
  EXPECT_FALSE(wrap_axis(0, 0));
}

}  // namespace
}  // namespace npugraph
