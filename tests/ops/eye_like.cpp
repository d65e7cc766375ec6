// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(EyeLike, puts_ones_on_a_diagonal) {
  EXPECT_EQ(Node("EyeLike").in(iota({2, 3})).result(), (Values{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(
      Node("EyeLike").attr("k", int64_t{-1}).attr("dtype", int64_t{6}).in(iota({2, 2})).result(),
      (Values{0, 0, 1, 0}));
  EXPECT_EQ(Node("EyeLike").attr("dtype", int64_t{9}).in(type("[b, 4]")).inferred(), "bool[b, 4]");
}

TEST(EyeLike, refuses_what_is_no_matrix) {
  EXPECT_EQ(Node("EyeLike").in(iota({2})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("EyeLike").attr("dtype", int64_t{8}).in(iota({2, 2})).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
