// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(DepthToSpace, reads_channels_outside_or_inside) {
  // One row of two pixels, 8 channels: c = 2, b = 2.
  Node outside("DepthToSpace"), inside("DepthToSpace");
  outside.attr("blocksize", int64_t{2}).in(iota({1, 8, 1, 2}));
  inside.attr("blocksize", int64_t{2}).attr("mode", std::string("CRD")).in(iota({1, 8, 1, 2}));
  EXPECT_EQ(outside.ran(), "float32 1x2x2x4");
  EXPECT_EQ(outside.result(), (Values{0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15}));
  EXPECT_EQ(inside.result(), (Values{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}));
}

TEST(DepthToSpace, takes_symbolic_dims) {
  EXPECT_EQ(
      Node("DepthToSpace").attr("blocksize", int64_t{2}).in(type("[n, 4*c, h, w]")).inferred(),
      "float32[n, c, 2*h, 2*w]");
}

TEST(DepthToSpace, refuses_channels_that_do_not_divide) {
  EXPECT_EQ(Node("DepthToSpace").attr("blocksize", int64_t{2}).in(iota({1, 6, 1, 1})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("DepthToSpace").attr("blocksize", int64_t{0}).in(iota({1, 4, 1, 1})).inferred(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
