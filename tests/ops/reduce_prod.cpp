// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceProd, keeps_dims) {
  Node node("ReduceProd");
  node.in(of(DType::kF32,
             {1.06, 1.26, 0.92, -1.55, 1.65, 1.21, 1.51, 0.09, 1.66, -1.81, -1.88, -1.92},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {1.60908, -2.36313, -4.712408, 0.312768});
}

TEST(ReduceProd, drops_dims_of_several_axes) {
  Node node("ReduceProd");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.06, 1.26, 0.92, -1.55, 1.65, 1.21, 1.51, 0.09, 1.66, -1.81, -1.88, -1.92},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {0.181508, 4.284559, 7.206566});
}

TEST(ReduceProd, reduces_all_without_axes) {
  Node node("ReduceProd");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {1.06, 1.26, 0.92, -1.55, 1.65, 1.21, 1.51, 0.09, 1.66, -1.81, -1.88, -1.92},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {5.604416});
}

TEST(ReduceProd, applies_element_wise_with_noop) {
  Node node("ReduceProd");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {1.06, 1.26, 0.92, -1.55, 1.65, 1.21, 1.51, 0.09, 1.66, -1.81, -1.88, -1.92},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {1.06, 1.26, 0.92, -1.55, 1.65, 1.21, 1.51, 0.09, 1.66, -1.81, -1.88, -1.92});
}

TEST(ReduceProd, takes_int32) {
  Node node("ReduceProd");
  node.in(of(DType::kI32, {-5, -5, 3, -5, 8, -6}, {2, 3})).in(Tensor::of_ints({1}, {1}));
  expect_near(node, "int32 2x1", {75, 240});
}

TEST(ReduceProd, reduces_nothing_to_its_own_element) {
  Node node("ReduceProd");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {1, 1});
}

TEST(ReduceProd, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceProd").in(type("[b, 3, t]")).in(vec({-2})).inferred(), "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceProd")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceProd").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceProd")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceProd")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceProd, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceProd").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceProd").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

TEST(ReduceProd, carries_content) {
  EXPECT_EQ(Node("ReduceProd").dims("[b, t, 2]").inferred(), "int64[1] = [2*b*t]");
}

}  // namespace
}  // namespace npugraph::testing
