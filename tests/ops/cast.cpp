// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

#include <cmath>

namespace npugraph::testing {
namespace {

Node cast_to(DType to, Tensor x) {
  Node node("Cast");
  node.attr("to", int64_t{onnx_dtype(to)}).in(std::move(x));
  return node;
}

TEST(Cast, truncates_wraps_and_rounds) {
  EXPECT_EQ(cast_to(DType::kI32, of(DType::kF32, {1.9, -1.9, 0.5}, {3})).result(),
            (Values{1, -1, 0}));
  EXPECT_EQ(cast_to(DType::kU8, vec({-1, 256, 257})).result(), (Values{255, 0, 1}));
  EXPECT_EQ(cast_to(DType::kI4, of(DType::kF32, {-9, 8.5, -8}, {3})).result(), (Values{7, -8, -8}));
  EXPECT_EQ(cast_to(DType::kI8, vec({200})).result(), (Values{-56}));
  EXPECT_EQ(cast_to(DType::kF16, of(DType::kF32, {2049, 65536}, {2})).result(),
            (Values{2048, HUGE_VAL}));
  EXPECT_EQ(cast_to(DType::kBool, of(DType::kF32, {0, -0.0, 0.25, NAN}, {4})).result(),
            (Values{0, 0, 1, 1}));
}

// 2^53 + 2^29 + 1 is just above a float32 tie: rounding to double first would lose the 1.
TEST(Cast, rounds_64_bit_integers_once) {
  const int64_t value = (int64_t{1} << 53) + (int64_t{1} << 29) + 1;
  EXPECT_EQ(cast_to(DType::kF32, vec({value, -value})).result(),
            (Values{9007200328482816.0, -9007200328482816.0}));
  EXPECT_EQ(cast_to(DType::kF64, vec({value})).result(), (Values{static_cast<double>(value)}));
}

// The table of ONNX's Cast for 8-bit floats.
TEST(Cast, saturates_8_bit_floats_unless_told_not_to) {
  const Tensor x = of(DType::kF32, {464, 465, -1e9, 0.5}, {4});
  EXPECT_EQ(cast_to(DType::kF8E4M3FN, x).result(), (Values{448, 448, -448, 0.5}));
  const auto raw = cast_to(DType::kF8E4M3FN, x).attr("saturate", int64_t{0}).result();
  EXPECT_EQ(raw[0], 448);
  EXPECT_TRUE(std::isnan(raw[1]) && std::isnan(raw[2]));
  EXPECT_EQ(cast_to(DType::kF8E5M2, of(DType::kF32, {61439, 61440, -1e9}, {3}))
                .attr("saturate", int64_t{0})
                .result(),
            (Values{57344, HUGE_VAL, -HUGE_VAL}));
}

TEST(Cast, carries_content) {
  EXPECT_EQ(Node("Cast").attr("to", int64_t{6}).dims("[b, 3]").inferred(), "int32[2] = [b, 3]");
  EXPECT_EQ(Node("Cast").attr("to", int64_t{2}).dims("[300]").inferred(), "uint8[1] = [44]");
  EXPECT_EQ(Node("Cast").attr("to", int64_t{9}).dims("[0, b + 1]").inferred(), "bool[2] = [0, 1]");
  EXPECT_EQ(Node("Cast").attr("to", int64_t{9}).dims("[b]").inferred(), "bool[1]");
  EXPECT_EQ(Node("Cast").attr("to", int64_t{1}).dims("[b]").inferred(), "float32[1]");
}

TEST(Cast, refuses_other_dtypes) {
  EXPECT_EQ(Node("Cast").attr("to", int64_t{8}).in(iota({1})).inferred(), "BadAttribute");
  EXPECT_EQ(Node("Cast").attr("to", int64_t{99}).in(iota({1})).inferred(), "BadAttribute");
  EXPECT_EQ(Node("Cast").in(iota({1})).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
