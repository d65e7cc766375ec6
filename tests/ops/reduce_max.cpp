// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceMax, keeps_dims) {
  Node node("ReduceMax");
  node.in(of(DType::kF32, {-1.73, -0.28, 0.08, 1.8, -1, 1.22, 0.71, 0.87, 0.52, 1.89, -0.67, -0.41},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {0.08, 1.8, 0.71, 1.89});
}

TEST(ReduceMax, drops_dims_of_several_axes) {
  Node node("ReduceMax");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32, {-1.73, -0.28, 0.08, 1.8, -1, 1.22, 0.71, 0.87, 0.52, 1.89, -0.67, -0.41},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {0.87, 1.89, 1.22});
}

TEST(ReduceMax, reduces_all_without_axes) {
  Node node("ReduceMax");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32, {-1.73, -0.28, 0.08, 1.8, -1, 1.22, 0.71, 0.87, 0.52, 1.89, -0.67, -0.41},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {1.89});
}

TEST(ReduceMax, applies_element_wise_with_noop) {
  Node node("ReduceMax");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32, {-1.73, -0.28, 0.08, 1.8, -1, 1.22, 0.71, 0.87, 0.52, 1.89, -0.67, -0.41},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {-1.73, -0.28, 0.08, 1.8, -1, 1.22, 0.71, 0.87, 0.52, 1.89, -0.67, -0.41});
}

TEST(ReduceMax, takes_int32) {
  Node node("ReduceMax");
  node.in(of(DType::kI32, {4, -6, -6, -9, -1, -6}, {2, 3})).in(Tensor::of_ints({1}, {1}));
  expect_near(node, "int32 2x1", {4, -1});
}

TEST(ReduceMax, reduces_nothing_to_its_own_element) {
  Node node("ReduceMax");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {-kInf, -kInf});
}

TEST(ReduceMax, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceMax").in(type("[b, 3, t]")).in(vec({-2})).inferred(), "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceMax")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceMax").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceMax")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceMax")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceMax, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceMax").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceMax").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

TEST(ReduceMax, knows_the_ends_of_every_integer) {
  const auto none = [](DType dtype) {
    return Node("ReduceMax").attr("keepdims", int64_t{0}).in(of(dtype, {}, {0})).result();
  };
  EXPECT_EQ(none(DType::kI8), (Values{-128}));
  EXPECT_EQ(none(DType::kU8), (Values{0}));
  EXPECT_EQ(none(DType::kI64), (Values{-0x1p63}));
  EXPECT_EQ(none(DType::kBool), (Values{0}));
}

TEST(ReduceMax, sees_uint64_as_unsigned_and_passes_nan_on) {
  EXPECT_EQ(Node("ReduceMax").in(of(DType::kU64, {1, 0x1p63}, {2})).result(), (Values{0x1p63}));
  EXPECT_TRUE(std::isnan(Node("ReduceMax").in(of(DType::kF32, {1, kNaN, 2}, {3})).result().at(0)));
}

}  // namespace
}  // namespace npugraph::testing
