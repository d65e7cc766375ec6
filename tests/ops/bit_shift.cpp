// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(BitShift, shifts_left) {
  Node node("BitShift");
  node.attr("direction", std::string("LEFT"))
      .in(of(DType::kU8, {1, 200, 3}, {3}))
      .in(of(DType::kU8, {1, 1, 7}, {3}));
  expect_near(node, "uint8 3", {2, 144, 128});
}

TEST(BitShift, shifts_right) {
  Node node("BitShift");
  node.attr("direction", std::string("RIGHT"))
      .in(of(DType::kU64, {16, 200, 3}, {3}))
      .in(of(DType::kU64, {1, 3, 2}, {3}));
  expect_near(node, "uint64 3", {8, 25, 0});
}

TEST(BitShift, gives_zero_beyond_the_width) {
  for (const char* direction : {"LEFT", "RIGHT"}) {
    Node node("BitShift");
    node.attr("direction", std::string(direction))
        .in(of(DType::kU64, {3, 3}, {2}))
        .in(of(DType::kU64, {64, 0x1p63}, {2}));
    EXPECT_EQ(node.result(), (Values{0, 0}));
  }
}

TEST(BitShift, needs_a_direction_and_unsigned_integers) {
  EXPECT_EQ(Node("BitShift").in(of(DType::kU8, {1}, {1})).in(of(DType::kU8, {1}, {1})).inferred(),
            "BadAttribute");
  EXPECT_EQ(
      Node("BitShift").attr("direction", std::string("LEFT")).in(vec({1})).in(vec({1})).inferred(),
      "DTypeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
