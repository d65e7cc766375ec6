// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Shape, gives_dims_as_content) {
  EXPECT_EQ(Node("Shape").in(type("[b, 3, 2*h]")).inferred(), "int64[3] = [b, 3, 2*h]");
  EXPECT_EQ(Node("Shape").attr("start", int64_t{-2}).in(type("[b, 3, h]")).inferred(),
            "int64[2] = [3, h]");
  EXPECT_EQ(Node("Shape")
                .attr("start", int64_t{1})
                .attr("end", int64_t{-1})
                .in(type("[b, 3, h]"))
                .inferred(),
            "int64[1] = [3]");
  EXPECT_EQ(
      Node("Shape").attr("start", int64_t{-9}).attr("end", int64_t{9}).in(type("[b]")).inferred(),
      "int64[1] = [b]");
  EXPECT_EQ(
      Node("Shape").attr("start", int64_t{2}).attr("end", int64_t{1}).in(type("[b, 3]")).inferred(),
      "int64[0] = []");
}

TEST(Shape, runs) {
  EXPECT_EQ(Node("Shape").attr("start", int64_t{1}).in(iota({2, 0, 3})).result(), (Values{0, 3}));
  EXPECT_EQ(Node("Shape").in(scalar(1)).ran(), "int64 0");
}

}  // namespace
}  // namespace npugraph::testing
