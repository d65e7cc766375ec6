// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Gelu, agrees_with_a_peer) {
  Node node("Gelu");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.8413447, -0.1586553, 0.3457312, -0.1699705, 2.484476, -0.0008142292, 6.5}, 0,
              2e-6);
}

TEST(Gelu, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Gelu").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(), "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Gelu").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

TEST(Gelu, approximates_with_tanh) {
  Node node("Gelu");
  node.attr("approximate", std::string("tanh"))
      .in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8",
              {0, 0.841192, -0.158808, 0.345714, -0.1700394, 2.484916, -0.0006161481, 6.5});
}

TEST(Gelu, refuses_other_approximations) {
  EXPECT_EQ(Node("Gelu").attr("approximate", std::string("fast")).in(iota({2})).inferred(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
