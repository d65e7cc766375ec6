// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(MatMulInteger, multiplies_exactly) {
  Node node("MatMulInteger");
  node.in(of(DType::kU8, {55, 110, 57, 105, 0, 176}, {2, 3}))
      .in(of(DType::kI8, {-68, 84, 55, -43, -13, 42}, {3, 2}));
  expect_near(node, "int32 2x2", {1569, 2284, -9428, 16212});
}

TEST(MatMulInteger, subtracts_zero_points) {
  Node node("MatMulInteger");
  node.in(of(DType::kU8, {55, 110, 57, 105, 0, 176}, {2, 3}))
      .in(of(DType::kI8, {-68, 84, 55, -43, -13, 42}, {3, 2}))
      .in(of(DType::kU8, {12}, {}))
      .in(of(DType::kI8, {-3}, {}));
  expect_near(node, "int32 2x2", {2439, 1846, -8381, 15951});
}

TEST(MatMulInteger, takes_a_zero_point_for_each_column) {
  Node node("MatMulInteger");
  node.in(of(DType::kU8, {55, 110, 57, 105, 0, 176}, {2, 3}))
      .in(of(DType::kI8, {-68, 84, 55, -43, -13, 42}, {3, 2}))
      .in(of(DType::kU8, {12}, {}))
      .in(of(DType::kI8, {-3, 5}, {2}));
  expect_near(node, "int32 2x2", {2439, 358, -8381, 13991});
}

TEST(MatMulInteger, takes_a_zero_point_for_each_row) {
  Node node("MatMulInteger");
  node.in(of(DType::kU8, {11, 7, 3, 10, 6, 2}, {2, 3}))
      .in(of(DType::kU8, {1, 4, 2, 5, 3, 6}, {3, 2}))
      .in(of(DType::kU8, {12, 10}, {2}));
  // [[-1, -5, -9], [0, -4, -8]] times [[1, 4], [2, 5], [3, 6]]
  EXPECT_EQ(node.result(), (Values{-38, -83, -32, -68}));
}

TEST(MatMulInteger, checks_zero_points) {
  EXPECT_EQ(Node("MatMulInteger")
                .in(type("[b, 3]", DType::kU8))
                .in(type("[3, n]", DType::kI8))
                .inferred(),
            "int32[b, n]");
  EXPECT_EQ(Node("MatMulInteger")
                .in(of(DType::kU8, {1, 2}, {1, 2}))
                .in(of(DType::kU8, {1, 2}, {2, 1}))
                .in(of(DType::kU8, {1, 2, 3}, {3}))
                .inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("MatMulInteger").in(iota({2, 2})).in(iota({2, 2})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
