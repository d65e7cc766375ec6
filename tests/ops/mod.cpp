// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Mod, has_the_sign_of_the_divisor) {
  Node node("Mod");
  node.in(Tensor::of_ints({-4, 7, 5, 4, -7, 8}, {6}))
      .in(Tensor::of_ints({2, -3, 8, -2, 3, 5}, {6}));
  expect_near(node, "int64 6", {0, -2, 5, 0, 2, 3});
}

TEST(Mod, has_the_sign_of_the_dividend_with_fmod) {
  Node node("Mod");
  node.attr("fmod", int64_t{1})
      .in(Tensor::of_ints({-4, 7, 5, 4, -7, 8}, {6}))
      .in(Tensor::of_ints({2, -3, 8, -2, 3, 5}, {6}));
  expect_near(node, "int64 6", {0, 1, 5, 0, -1, 3});
}

TEST(Mod, takes_floats_with_fmod) {
  Node node("Mod");
  node.attr("fmod", int64_t{1})
      .in(of(DType::kF32, {-4.3, 7.2, 5, 4.3, -7.2, 8}, {6}))
      .in(of(DType::kF32, {2.1, -3.4, 8, -2.1, 3.4, 5}, {6}));
  expect_near(node, "float32 6", {-0.1000004, 0.3999996, 5, 0.1000004, -0.3999996, 3});
}

TEST(Mod, never_traps) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  for (const int64_t fmod : {0, 1}) {
    Node node("Mod");
    node.attr("fmod", fmod).in(vec({5, kLeast})).in(vec({0, -1}));
    EXPECT_EQ(node.result(), (Values{0, 0}));
  }
}

TEST(Mod, refuses_floats_without_fmod) {
  EXPECT_EQ(Node("Mod").in(iota({2})).in(iota({2})).inferred(), "BadAttribute");
  EXPECT_EQ(Node("Mod").attr("fmod", int64_t{2}).in(vec({1})).in(vec({1})).inferred(),
            "BadAttribute");
}

TEST(Mod, carries_content) {
  EXPECT_EQ(Node("Mod").dims("[b, 7, -7]").in(vec({4})).inferred(), "int64[3] = [mod(b, 4), 3, 1]");
  EXPECT_EQ(Node("Mod").attr("fmod", int64_t{1}).dims("[b - 1]").in(vec({4})).inferred(),
            "int64[1]");
}

}  // namespace
}  // namespace npugraph::testing
