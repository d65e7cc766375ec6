// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Gather, picks_slices) {
  Node node("Gather");
  node.attr("axis", int64_t{1}).in(iota({2, 3})).in(Tensor::of_ints({2, 0, -1, 1}, {2, 2}));
  EXPECT_EQ(node.ran(), "float32 2x2x2");
  EXPECT_EQ(node.result(), (Values{2, 0, 2, 1, 5, 3, 5, 4}));
}

TEST(Gather, infers_symbolic_dims) {
  EXPECT_EQ(Node("Gather").in(type("[1000, 64]")).in(type("[b, t]", DType::kI64)).inferred(),
            "float32[b, t, 64]");
}

TEST(Gather, carries_content) {
  EXPECT_EQ(Node("Gather").dims("[b, t, 64]").in(scalar(1)).inferred(), "int64[] = [t]");
  EXPECT_EQ(Node("Gather").dims("[b, t]").in(vec({-1})).inferred(), "int64[1] = [t]");
}

TEST(Gather, refuses_indices_outside) {
  EXPECT_EQ(Node("Gather").in(iota({3})).in(vec({3})).ran(), "IndexOutOfRange");
  EXPECT_EQ(Node("Gather").in(iota({3})).in(vec({-4})).ran(), "IndexOutOfRange");
  EXPECT_EQ(Node("Gather").in(iota({0})).in(vec({0})).ran(), "IndexOutOfRange");
  EXPECT_EQ(Node("Gather").in(scalar(3)).in(vec({0})).ran(), "AxisOutsideRank");
}

}  // namespace
}  // namespace npugraph::testing
