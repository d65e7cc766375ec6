// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(And, broadcasts) {
  Node node("And");
  node.in(of(DType::kBool, {1, 0}, {2, 1})).in(of(DType::kBool, {1, 0}, {2}));
  expect_near(node, "bool 2x2", {1, 0, 0, 0});
}

TEST(And, broadcasts_symbolic_shapes) {
  EXPECT_EQ(
      Node("And").in(type("[b, 1, t]", DType::kBool)).in(type("[3, 1]", DType::kBool)).inferred(),
      "bool[b, 3, t]");
  EXPECT_EQ(Node("And").in(type("[2, 3]", DType::kBool)).in(type("[2]", DType::kBool)).inferred(),
            "ShapeMismatch");
}

TEST(And, refuses_numbers) {
  EXPECT_EQ(Node("And").in(vec({1})).in(vec({1})).inferred(), "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
