// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(ReduceMean, keeps_dims) {
  Node node("ReduceMean");
  node.in(of(DType::kF32,
             {0.29, -0.64, -0.91, 1.81, -0.22, 1.92, 0.06, 0.08, 1.59, 0.97, 0.32, -0.29},
             {2, 3, 2}))
      .in(Tensor::of_ints({1}, {1}));
  expect_near(node, "float32 2x1x2", {-0.28, 1.03, 0.6566667, 0.2533334});
}

TEST(ReduceMean, drops_dims_of_several_axes) {
  Node node("ReduceMean");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {0.29, -0.64, -0.91, 1.81, -0.22, 1.92, 0.06, 0.08, 1.59, 0.97, 0.32, -0.29},
             {2, 3, 2}))
      .in(Tensor::of_ints({0, -1}, {2}));
  expect_near(node, "float32 3", {-0.0525, 0.8649999, 0.4325});
}

TEST(ReduceMean, reduces_all_without_axes) {
  Node node("ReduceMean");
  node.attr("keepdims", int64_t{0})
      .in(of(DType::kF32,
             {0.29, -0.64, -0.91, 1.81, -0.22, 1.92, 0.06, 0.08, 1.59, 0.97, 0.32, -0.29},
             {2, 3, 2}));
  expect_near(node, "float32 scalar", {0.415});
}

TEST(ReduceMean, applies_element_wise_with_noop) {
  Node node("ReduceMean");
  node.attr("noop_with_empty_axes", int64_t{1})
      .in(of(DType::kF32,
             {0.29, -0.64, -0.91, 1.81, -0.22, 1.92, 0.06, 0.08, 1.59, 0.97, 0.32, -0.29},
             {2, 3, 2}))
      .in(Tensor::of_ints({}, {0}));
  expect_near(node, "float32 2x3x2",
              {0.29, -0.64, -0.91, 1.81, -0.22, 1.92, 0.06, 0.08, 1.59, 0.97, 0.32, -0.29});
}

TEST(ReduceMean, takes_int32) {
  Node node("ReduceMean");
  node.in(of(DType::kI32, {8, 6, -3, -2, 3, 7}, {2, 3})).in(Tensor::of_ints({1}, {1}));
  expect_near(node, "int32 2x1", {3, 2});
}

TEST(ReduceMean, reduces_nothing_to_its_own_element) {
  Node node("ReduceMean");
  node.attr("keepdims", int64_t{0}).in(iota({2, 0})).in(vec({1}));
  expect_near(node, "float32 2", {kNaN, kNaN});
}

TEST(ReduceMean, infers_symbolic_and_late_shapes) {
  EXPECT_EQ(Node("ReduceMean").in(type("[b, 3, t]")).in(vec({-2})).inferred(), "float32[b, 1, t]");
  EXPECT_EQ(Node("ReduceMean")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3, t]"))
                .in(vec({0, 1}))
                .inferred(),
            "float32[t]");
  EXPECT_EQ(Node("ReduceMean").in(type("[b, 3]")).in(type("[1]", DType::kI64)).inferred(),
            "float32[late.node.0, late.node.1]");
  EXPECT_EQ(Node("ReduceMean")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0]");
  EXPECT_EQ(Node("ReduceMean")
                .attr("keepdims", int64_t{0})
                .in(type("[b, 3]"))
                .in(type("[k]", DType::kI64))
                .inferred(),
            "float32[*]");
}

TEST(ReduceMean, refuses_wrong_axes) {
  EXPECT_EQ(Node("ReduceMean").in(iota({2, 3})).in(vec({2})).inferred(), "AxisOutsideRank");
  EXPECT_EQ(Node("ReduceMean").in(iota({2, 3})).in(vec({1, -1})).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
