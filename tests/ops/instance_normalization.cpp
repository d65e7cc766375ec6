// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(InstanceNormalization, works_on_images) {
  Node node("InstanceNormalization");
  node.attr("epsilon", 0.01)
      .in(of(DType::kF32,
             {1.75, -0.68, 0.28,  -1.98, -0.51, 1.84,  -1.52, 1.48,  0.61, -0.82, 1.11, -0.84,
              1.58, -1.67, -1.52, 1,     -0.2,  -1.41, 0.05,  -0.81, 0.2,  0.97,  1.43, -1.76},
             {2, 3, 2, 2}))
      .in(of(DType::kF32, {1.39, 0.44, 0.04}, {3}))
      .in(of(DType::kF32, {-1.65, 1.15, -1.74}, {3}));
  expect_near(
      node, "float32 2x3x2x2",
      {0.2909293, -2.181657, -1.204833, -3.50444,  0.8871891,    1.629057,  0.5683436, 1.515409,
       -1.712615, -1.778431, -1.689603, -1.779351, -0.002136946, -3.093366, -2.950694, -0.5538025,
       1.450351,  0.524429,  1.641657,  0.9835637, -1.740327,    -1.715152, -1.700112, -1.80441});
}

TEST(InstanceNormalization, checks_its_vectors) {
  EXPECT_EQ(Node("InstanceNormalization")
                .in(type("[n, 3, t]"))
                .in(type("[3]"))
                .in(type("[3]"))
                .inferred(),
            "float32[n, 3, t]");
  EXPECT_EQ(Node("InstanceNormalization")
                .in(type("[n, 3, t]"))
                .in(type("[3]"))
                .in(type("[2]"))
                .inferred(),
            "ShapeMismatch");
  EXPECT_EQ(
      Node("InstanceNormalization").in(type("[n, 3]")).in(type("[3]")).in(type("[3]")).inferred(),
      "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
