// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(IsInf, finds_both_infinities) {
  Node node("IsInf");
  node.in(of(DType::kF32, {1, kNaN, kInf, -kInf}, {4}));
  expect_near(node, "bool 4", {0, 0, 1, 1});
}

TEST(IsInf, finds_positive_only) {
  Node node("IsInf");
  node.attr("detect_negative", int64_t{0}).in(of(DType::kF32, {1, kNaN, kInf, -kInf}, {4}));
  expect_near(node, "bool 4", {0, 0, 1, 0});
}

TEST(IsInf, finds_negative_only) {
  Node node("IsInf");
  node.attr("detect_positive", int64_t{0}).in(of(DType::kF32, {1, kNaN, kInf, -kInf}, {4}));
  expect_near(node, "bool 4", {0, 0, 0, 1});
}

}  // namespace
}  // namespace npugraph::testing
