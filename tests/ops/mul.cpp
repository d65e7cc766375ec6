// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Mul, broadcasts) {
  Node node("Mul");
  node.in(of(DType::kF32, {1.98, 1.17, 0.49, 1.96, -1.14, -1.36}, {2, 1, 3}))
      .in(of(DType::kF32, {0.45, -1.82}, {2, 1}));
  expect_near(node, "float32 2x2x3",
              {0.891, 0.5265, 0.2205, -3.6036, -2.1294, -0.8918, 0.882, -0.513, -0.612, -3.5672,
               2.0748, 2.4752});
}

TEST(Mul, takes_scalars_and_empty_tensors) {
  Node node("Mul");
  node.in(of(DType::kF32, {2}, {})).in(of(DType::kF32, {}, {0, 3}));
  expect_near(node, "float32 0x3", {});
}

TEST(Mul, computes_float64) {
  Node node("Mul");
  node.in(of(DType::kF64, {1e+300, 3}, {2})).in(of(DType::kF64, {2, 7}, {2}));
  expect_near(node, "float64 2", {2e+300, 21});
}

TEST(Mul, is_exact_and_wraps_in_int64) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Node node("Mul");
  node.in(vec({kMost, kMost - 1, (int64_t{1} << 53) + 1, 7})).in(vec({2, -1, 1, -3}));
  const auto out = node.run();
  ASSERT_TRUE(out.has_value());
  const auto y = (*out)[0].as<int64_t>();
  EXPECT_EQ(y[0], -2);
  EXPECT_EQ(y[1], 1 - kMost);
  EXPECT_EQ(y[2], (int64_t{1} << 53) + 1);
  EXPECT_EQ(y[3], -21);
}

TEST(Mul, wraps_in_uint8) {
  Node node("Mul");
  node.in(of(DType::kU8, {200, 3}, {2})).in(of(DType::kU8, {100, 5}, {2}));
  EXPECT_EQ(node.result(), (Values{32, 15}));
}

TEST(Mul, broadcasts_symbolic_shapes) {
  EXPECT_EQ(
      Node("Mul").in(type("[b, 1, t]", DType::kF32)).in(type("[3, 1]", DType::kF32)).inferred(),
      "float32[b, 3, t]");
  EXPECT_EQ(Node("Mul").in(type("[2, 3]", DType::kF32)).in(type("[2]", DType::kF32)).inferred(),
            "ShapeMismatch");
}

TEST(Mul, carries_content) {
  EXPECT_EQ(Node("Mul").dims("[b, t]").dims("[2, b]").inferred(), "int64[2] = [2*b, b*t]");
}

}  // namespace
}  // namespace npugraph::testing
