// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Sub, broadcasts) {
  Node node("Sub");
  node.in(of(DType::kF32, {1.19, -0.13, -0.79, -0.89, -0.98, -0.22}, {2, 1, 3}))
      .in(of(DType::kF32, {0.02, 0.21}, {2, 1}));
  expect_near(node, "float32 2x2x3",
              {1.17, -0.15, -0.81, 0.9800001, -0.34, -1, -0.91, -1, -0.24, -1.1, -1.19, -0.43});
}

TEST(Sub, takes_scalars_and_empty_tensors) {
  Node node("Sub");
  node.in(of(DType::kF32, {2}, {})).in(of(DType::kF32, {}, {0, 3}));
  expect_near(node, "float32 0x3", {});
}

TEST(Sub, computes_float64) {
  Node node("Sub");
  node.in(of(DType::kF64, {1e+300, 3}, {2})).in(of(DType::kF64, {2, 7}, {2}));
  expect_near(node, "float64 2", {1e+300, -4});
}

TEST(Sub, is_exact_and_wraps_in_int64) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Node node("Sub");
  node.in(vec({kMost, kMost - 1, (int64_t{1} << 53) + 1, 7})).in(vec({1, 1, 1, -3}));
  const auto out = node.run();
  ASSERT_TRUE(out.has_value());
  const auto y = (*out)[0].as<int64_t>();
  EXPECT_EQ(y[0], kMost - 1);
  EXPECT_EQ(y[1], kMost - 2);
  EXPECT_EQ(y[2], (int64_t{1} << 53) + 0);
  EXPECT_EQ(y[3], 10);
}

TEST(Sub, wraps_in_uint8) {
  Node node("Sub");
  node.in(of(DType::kU8, {200, 3}, {2})).in(of(DType::kU8, {100, 5}, {2}));
  EXPECT_EQ(node.result(), (Values{100, 254}));
}

TEST(Sub, broadcasts_symbolic_shapes) {
  EXPECT_EQ(
      Node("Sub").in(type("[b, 1, t]", DType::kF32)).in(type("[3, 1]", DType::kF32)).inferred(),
      "float32[b, 3, t]");
  EXPECT_EQ(Node("Sub").in(type("[2, 3]", DType::kF32)).in(type("[2]", DType::kF32)).inferred(),
            "ShapeMismatch");
}

TEST(Sub, carries_content) {
  EXPECT_EQ(Node("Sub").dims("[b, t]").dims("[1, t]").inferred(), "int64[2] = [b - 1, 0]");
}

}  // namespace
}  // namespace npugraph::testing
