// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Relu, agrees_with_a_peer) {
  Node node("Relu");
  node.in(of(DType::kF32, {0, 1, -1, 0.5, -0.75, 2.5, -3.5, 6.5}, {8}));
  expect_near(node, "float32 8", {0, 1, 0, 0.5, 0, 2.5, 0, 6.5}, 0, 2e-6);
}

TEST(Relu, keeps_type_and_symbolic_shape) {
  EXPECT_EQ(Node("Relu").in(type("[b, 2*t + 1]", DType::kBF16)).inferred(), "bfloat16[b, 2*t + 1]");
  EXPECT_EQ(Node("Relu").in(type("[2]", DType::kBool)).inferred(), "DTypeMismatch");
}

TEST(Relu, takes_integers) {
  Node node("Relu");
  node.in(Tensor::of_ints({-3, 0, 4}, {3}));
  expect_near(node, "int64 3", {0, 0, 4});
}

TEST(Relu, keeps_nan_and_large_uint64) {
  EXPECT_TRUE(std::isnan(Node("Relu").in(of(DType::kF32, {kNaN}, {1})).result().at(0)));
  EXPECT_EQ(Node("Relu").in(of(DType::kU64, {0x1p63}, {1})).result(), (Values{0x1p63}));
}

}  // namespace
}  // namespace npugraph::testing
