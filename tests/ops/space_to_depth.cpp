// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(SpaceToDepth, turns_pixels_into_channels) {
  Node node("SpaceToDepth");
  node.attr("blocksize", int64_t{2}).in(iota({1, 1, 2, 4}));
  EXPECT_EQ(node.ran(), "float32 1x4x1x2");
  EXPECT_EQ(node.result(), (Values{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(SpaceToDepth, is_undone_by_depth_to_space) {
  const Tensor x = iota({2, 3, 4, 6});
  for (const std::string mode : {"DCR", "CRD"}) {
    Node there("SpaceToDepth"), back("DepthToSpace");
    auto deep = there.attr("blocksize", int64_t{2}).attr("mode", mode).in(x).run();
    ASSERT_TRUE(deep.has_value());
    back.attr("blocksize", int64_t{2}).attr("mode", mode).in((*deep)[0]);
    EXPECT_EQ(back.result(), values(x));
  }
}

TEST(SpaceToDepth, checks_dims) {
  EXPECT_EQ(
      Node("SpaceToDepth").attr("blocksize", int64_t{2}).in(type("[n, c, 2*h, w]")).inferred(),
      "float32[n, 4*c, h, floordiv(w, 2)]");
  EXPECT_EQ(Node("SpaceToDepth").attr("blocksize", int64_t{2}).in(iota({1, 1, 3, 2})).inferred(),
            "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
