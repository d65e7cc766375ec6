// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Div, broadcasts) {
  Node node("Div");
  node.in(of(DType::kF32, {-1.86, 0.06, -0.14, 1.67, 0.52, 0.06}, {2, 1, 3}))
      .in(of(DType::kF32, {-0.01, -1.01}, {2, 1}));
  expect_near(node, "float32 2x2x3",
              {186, -6, 14, 1.841584, -0.05940594, 0.1386139, -167, -52, -6, -1.653465, -0.5148515,
               -0.05940594});
}

TEST(Div, takes_scalars_and_empty_tensors) {
  Node node("Div");
  node.in(of(DType::kF32, {2}, {})).in(of(DType::kF32, {}, {0, 3}));
  expect_near(node, "float32 0x3", {});
}

TEST(Div, computes_float64) {
  Node node("Div");
  node.in(of(DType::kF64, {1e+300, 3}, {2})).in(of(DType::kF64, {2, 7}, {2}));
  expect_near(node, "float64 2", {5e+299, 0.4285714});
}

TEST(Div, broadcasts_symbolic_shapes) {
  EXPECT_EQ(
      Node("Div").in(type("[b, 1, t]", DType::kF32)).in(type("[3, 1]", DType::kF32)).inferred(),
      "float32[b, 3, t]");
  EXPECT_EQ(Node("Div").in(type("[2, 3]", DType::kF32)).in(type("[2]", DType::kF32)).inferred(),
            "ShapeMismatch");
}

TEST(Div, divides_integers_toward_zero_and_never_traps) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  Node node("Div");
  node.in(vec({7, -7, 7, -7, 5, 0, kLeast})).in(vec({2, 2, -2, -2, 0, 0, -1}));
  const auto out = node.run();
  ASSERT_TRUE(out.has_value());
  const auto y = (*out)[0].as<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(y.begin(), y.end()),
            (std::vector<int64_t>{3, -3, -3, 3, 0, 0, kLeast}));
}

TEST(Div, sees_uint64_as_unsigned) {
  Node node("Div");
  node.in(of(DType::kU64, {0x1p63}, {1})).in(of(DType::kU64, {2}, {1}));
  EXPECT_EQ(node.result(), (Values{0x1p62}));
}

TEST(Div, wraps_the_smallest_int32) {
  Node node("Div");
  node.in(of(DType::kI32, {-0x1p31}, {1})).in(of(DType::kI32, {-1}, {1}));
  EXPECT_EQ(node.result(), (Values{-0x1p31}));
}

TEST(Div, carries_content) {
  EXPECT_EQ(Node("Div").dims("[b, 4*t, 7, -7]").in(vec({2})).inferred(),
            "int64[4] = [floordiv(b, 2), 2*t, 3, -3]");
  EXPECT_EQ(Node("Div").dims("[b]").in(vec({0})).inferred(), "int64[1]");
}

TEST(Div, content_of_what_may_be_negative_rounds_toward_zero) {
  const auto out = Node("Div").dims("[b - 5]").in(vec({2})).infer();
  ASSERT_TRUE(out.has_value());
  ASSERT_TRUE((*out)[0].content.has_value());
  for (int64_t b = 0; b < 12; ++b) {
    const auto number = (*out)[0].content->front().evaluate({{"b", b}});
    ASSERT_TRUE(number.has_value());
    EXPECT_EQ(*number, (b - 5) / 2);
  }
}

}  // namespace
}  // namespace npugraph::testing
