// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(IsNaN, finds_nan) {
  Node node("IsNaN");
  node.in(of(DType::kF32, {1, kNaN, kInf, -kInf}, {4}));
  expect_near(node, "bool 4", {0, 1, 0, 0});
}

}  // namespace
}  // namespace npugraph::testing
