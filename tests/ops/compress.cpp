// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Compress, keeps_slices_or_elements) {
  const Tensor x = of(DType::kF32, {1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(
      Node("Compress").attr("axis", int64_t{0}).in(x).in(of(DType::kBool, {0, 1, 1}, {3})).result(),
      (Values{3, 4, 5, 6}));
  EXPECT_EQ(
      Node("Compress").attr("axis", int64_t{-1}).in(x).in(of(DType::kBool, {0, 1}, {2})).result(),
      (Values{2, 4, 6}));
  EXPECT_EQ(Node("Compress").in(x).in(of(DType::kBool, {0, 1, 0, 0, 1}, {5})).result(),
            (Values{2, 5}));
}

TEST(Compress, is_late_until_the_condition_is_known) {
  EXPECT_EQ(Node("Compress")
                .attr("axis", int64_t{1})
                .in(type("[b, 3]"))
                .in(type("[3]", DType::kBool))
                .inferred(),
            "float32[b, late.node.0]");
}

TEST(Compress, refuses_a_wrong_axis_or_condition) {
  EXPECT_EQ(Node("Compress")
                .attr("axis", int64_t{1})
                .in(iota({2}))
                .in(of(DType::kBool, {1}, {1}))
                .inferred(),
            "AxisOutsideRank");
  EXPECT_EQ(Node("Compress").in(iota({2})).in(of(DType::kBool, {1}, {1, 1})).inferred(),
            "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
