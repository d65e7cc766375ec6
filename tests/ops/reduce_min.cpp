// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceMin, keeps_dims) {
  Node node("ReduceMin");
  node.in(of(DType::kF32,
             {1.66, 1.36, -1.55, 0.42, -0.08, 0.38, 0.64, -0.77, 1.85, -0.14, 0.51, 0.54},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {-1.55, 0.38, 0.51, -0.77});
}

TEST(ReduceMin, drops_dims_of_several_axes) {
  Node node("ReduceMin");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.66, 1.36, -1.55, 0.42, -0.08, 0.38, 0.64, -0.77, 1.85, -0.14, 0.51, 0.54},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {-0.77, -1.55, -0.08});
}

TEST(ReduceMin, reduces_all_without_axes) {
  Node node("ReduceMin");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.66, 1.36, -1.55, 0.42, -0.08, 0.38, 0.64, -0.77, 1.85, -0.14, 0.51, 0.54},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {-1.55});
}

TEST(ReduceMin, applies_element_wise_with_noop) {
  Node node("ReduceMin");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {1.66, 1.36, -1.55, 0.42, -0.08, 0.38, 0.64, -0.77, 1.85, -0.14, 0.51, 0.54},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {1.66, 1.36, -1.55, 0.42, -0.08, 0.38, 0.64, -0.77, 1.85, -0.14, 0.51, 0.54});
}

TEST(ReduceMin, takes_int32) {
  Node node("ReduceMin");
  node.in(of(DType::kI32, {-8, -6, 4, -8, 3, -2}, {2, 3})).in(Tensor::of_ints({1}, {1}));
  expect_near(node, "int32 2x1", {-8, -8});
}

TEST(ReduceMin, reduces_nothing_to_its_own_element) {
  Node node("ReduceMin");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {kInf, kInf});
}

TEST(ReduceMin, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceMin").in(type("[b, 3, t]")).in(vec({-2})).inferred(), "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceMin")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceMin").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceMin")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceMin")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceMin, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceMin").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceMin").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

TEST(ReduceMin, knows_the_ends_of_every_integer) {
  const auto none = [](DType dtype) {
    return Node("ReduceMin").attr("keepdims", int64_t{0}).in(of(dtype, {}, {0})).result();
  };
  EXPECT_EQ(none(DType::kI8), (Values{127}));
  EXPECT_EQ(none(DType::kU8), (Values{255}));
  EXPECT_EQ(none(DType::kU64), (Values{0x1p64}));
  EXPECT_EQ(none(DType::kBool), (Values{1}));
}

}  // namespace
}  // namespace npugraph::testing
