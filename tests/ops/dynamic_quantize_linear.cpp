// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(DynamicQuantizeLinear, has_the_range_of_the_data) {
  Node node("DynamicQuantizeLinear");
  node.in(of(DType::kF32, {-0.54, 1.64, -1.17, -1.04, 1.55, -0.9, -0.68, 1.53, -0.72, 1.99},
             {2, 5}))
      .outputs(3);
  expect_near(node, "uint8 2x5", {50, 226, 0, 10, 219, 21, 39, 217, 36, 255});
  expect_near(node, "float32 scalar", {0.01239216}, 1);
  expect_near(node, "uint8 scalar", {94}, 2);
}

TEST(DynamicQuantizeLinear, widens_the_range_to_zero) {
  Node node("DynamicQuantizeLinear");
  node.in(of(DType::kF32, {1, 2, 3.5}, {3})).outputs(3);
  expect_near(node, "uint8 3", {73, 146, 255});
  expect_near(node, "float32 scalar", {0.01372549}, 1);
  expect_near(node, "uint8 scalar", {0}, 2);
}

TEST(DynamicQuantizeLinear, takes_zeros) {
  Node node("DynamicQuantizeLinear");
  node.in(of(DType::kF32, {0, 0}, {2})).outputs(3);
  expect_near(node, "uint8 2", {0, 0});
  expect_near(node, "float32 scalar", {1}, 1);
  expect_near(node, "uint8 scalar", {0}, 2);
}

}  // namespace
}  // namespace npugraph::testing
