// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(QuantizeLinear, has_one_scale) {
  Node node("QuantizeLinear");
  node.in(of(DType::kF32, {-1.98, 0.42, 1.38, 0.62, -2.72, -2.78}, {2, 3}))
      .in(of(DType::kF32, {0.02}, {}))
      .in(of(DType::kU8, {128}, {}));
  expect_near(node, "uint8 2x3", {29, 149, 197, 159, 0, 0});
}

TEST(QuantizeLinear, has_a_scale_for_each_index) {
  Node node("QuantizeLinear");
  node.attr("axis", int64_t{1})
      .in(of(DType::kF32, {-1.98, 0.42, 1.38, 0.62, -2.72, -2.78}, {2, 3}))
      .in(of(DType::kF32, {0.02, 0.05, 0.1}, {3}))
      .in(of(DType::kI8, {0, -5, 7}, {3}));
  expect_near(node, "int8 2x3", {-99, 3, 21, 31, -59, -21});
}

TEST(QuantizeLinear, rounds_halves_to_even_and_saturates) {
  Node node("QuantizeLinear");
  node.in(of(DType::kF32, {0.5, 1.5, 2.5, -0.5, 300, -300}, {6})).in(of(DType::kF32, {1}, {}));
  expect_near(node, "uint8 6", {0, 2, 2, 0, 255, 0});
}

TEST(QuantizeLinear, has_blocks) {
  Node node("QuantizeLinear");
  node.attr("axis", int64_t{1})
      .attr("block_size", int64_t{2})
      .in(of(DType::kF32, {-0.37, -1.93, -1.66, 0.57, -0.25, -1.66, 1.51, -0.53}, {2, 4}))
      .in(of(DType::kF32, {0.02, 0.05, 0.1, 0.03}, {2, 2}))
      .in(of(DType::kI8, {0, 1, 2, 3}, {2, 2}));
  expect_near(node, "int8 2x4", {-18, -96, -32, 12, 0, -15, 53, -15});
}

TEST(QuantizeLinear, has_an_output_dtype) {
  Node node("QuantizeLinear");
  node.attr("output_dtype", int64_t{5})
      .in(of(DType::kF32, {-1.98, 0.42, 1.38, 0.62, -2.72, -2.78}, {2, 3}))
      .in(of(DType::kF32, {0.02}, {}));
  expect_near(node, "int16 2x3", {-99, 21, 69, 31, -136, -139});
}

TEST(QuantizeLinear, quantises_to_4_bits_and_8_bit_floats) {
  EXPECT_EQ(Node("QuantizeLinear")
                .attr("output_dtype", int64_t{22})
                .in(of(DType::kF32, {-9, -3, 2, 9}, {4}))
                .in(of(DType::kF32, {1}, {}))
                .result(),
            (Values{-8, -3, 2, 7}));
  EXPECT_EQ(Node("QuantizeLinear")
                .attr("output_dtype", int64_t{17})
                .in(of(DType::kF32, {1.0625, 1000}, {2}))
                .in(of(DType::kF32, {1}, {}))
                .result(),
            (Values{1, 448}));
}

TEST(QuantizeLinear, checks_its_scales) {
  EXPECT_EQ(Node("QuantizeLinear")
                .in(type("[b, 3]"))
                .in(type("[3]"))
                .in(type("[3]", DType::kI8))
                .inferred(),
            "int8[b, 3]");
  EXPECT_EQ(Node("QuantizeLinear").in(type("[b, 3]")).in(type("[2]")).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("QuantizeLinear")
                .in(type("[b, 3]"))
                .in(type("[3]"))
                .in(type("[2]", DType::kI8))
                .inferred(),
            "ShapeMismatch");
  EXPECT_EQ(
      Node("QuantizeLinear").attr("axis", int64_t{2}).in(type("[b, 3]")).in(type("[3]")).inferred(),
      "AxisOutsideRank");
  EXPECT_EQ(Node("QuantizeLinear")
                .attr("output_dtype", int64_t{7})
                .in(type("[b, 3]"))
                .in(type("[]"))
                .inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("QuantizeLinear")
                .attr("output_dtype", int64_t{3})
                .in(type("[b, 3]"))
                .in(type("[]"))
                .in(type("[]", DType::kU8))
                .inferred(),
            "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
