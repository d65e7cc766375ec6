// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Not, inverts) {
  Node node("Not");
  node.in(of(DType::kBool, {1, 0}, {2}));
  expect_near(node, "bool 2", {0, 1});
}

}  // namespace
}  // namespace npugraph::testing
