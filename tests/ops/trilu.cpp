// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Trilu, keeps_a_triangle) {
  const Tensor x = of(DType::kI32, {1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(Node("Trilu").in(x).result(), (Values{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(Node("Trilu").attr("upper", int64_t{0}).in(x).result(), (Values{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(Node("Trilu").in(x).in(scalar(1)).result(), (Values{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(Node("Trilu").attr("upper", int64_t{0}).in(x).in(scalar(-9)).result(), Values(6, 0));
}

TEST(Trilu, works_on_each_matrix) {
  EXPECT_EQ(Node("Trilu").in(iota({2, 2, 2})).result(), (Values{0, 1, 0, 3, 4, 5, 0, 7}));
  EXPECT_EQ(Node("Trilu").in(type("[b, 2, 2]")).inferred(), "float32[b, 2, 2]");
}

TEST(Trilu, refuses_a_vector_and_many_k) {
  EXPECT_EQ(Node("Trilu").in(iota({2})).ran(), "ShapeMismatch");
  EXPECT_EQ(Node("Trilu").in(iota({2, 2})).in(vec({1, 2})).ran(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
