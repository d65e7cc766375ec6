// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(DequantizeLinear, has_one_scale) {
  Node node("DequantizeLinear");
  node.in(of(DType::kU8, {118, 225, 241, 155, 179, 158}, {2, 3}))
      .in(of(DType::kF32, {0.02}, {}))
      .in(of(DType::kU8, {128}, {}));
  expect_near(node, "float32 2x3", {-0.2, 1.94, 2.26, 0.54, 1.02, 0.6});
}

TEST(DequantizeLinear, has_a_scale_for_each_index) {
  Node node("DequantizeLinear");
  node.attr("axis", int64_t{-2})
      .in(of(DType::kI8, {3, -20, -38, 43, -69, -66}, {2, 3}))
      .in(of(DType::kF32, {0.02, 0.05}, {2}))
      .in(of(DType::kI8, {3, -5}, {2}));
  expect_near(node, "float32 2x3", {0, -0.46, -0.82, 2.4, -3.2, -3.05});
}

TEST(DequantizeLinear, takes_int32) {
  Node node("DequantizeLinear");
  node.in(of(DType::kI32, {2553, -4852, -772, 7498}, {4})).in(of(DType::kF32, {0.25}, {}));
  expect_near(node, "float32 4", {638.25, -1213, -193, 1874.5});
}

TEST(DequantizeLinear, has_blocks) {
  Node node("DequantizeLinear");
  node.attr("axis", int64_t{0})
      .attr("block_size", int64_t{2})
      .in(of(DType::kI8, {-91, -77, 119, -30, -6, 61, 123, -44}, {4, 2}))
      .in(of(DType::kF32, {0.02, 0.05, 0.1, 0.03}, {2, 2}))
      .in(of(DType::kI8, {0, 1, 2, 3}, {2, 2}));
  expect_near(node, "float32 4x2", {-1.82, -3.9, 2.38, -1.55, -0.8, 1.74, 12.1, -1.41});
}

TEST(DequantizeLinear, has_the_dtype_of_the_scale) {
  EXPECT_EQ(Node("DequantizeLinear")
                .in(type("[b, 3]", DType::kI8))
                .in(type("[]", DType::kF16))
                .inferred(),
            "float16[b, 3]");
  EXPECT_EQ(Node("DequantizeLinear")
                .in(type("[b, 3]", DType::kI8))
                .in(type("[]"))
                .in(type("[]", DType::kU8))
                .inferred(),
            "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
