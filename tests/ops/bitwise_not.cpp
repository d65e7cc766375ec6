// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(BitwiseNot, inverts_bits) {
  Node node("BitwiseNot");
  node.in(Tensor::of_ints({0, 5, -1}, {3}));
  expect_near(node, "int64 3", {-1, -6, 0});
}

TEST(BitwiseNot, inverts_unsigned_bits) {
  Node node("BitwiseNot");
  node.in(of(DType::kU8, {0, 5, 255}, {3}));
  expect_near(node, "uint8 3", {255, 250, 0});
}

}  // namespace
}  // namespace npugraph::testing
