// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Add, broadcasts) {
  Node node("Add");
  node.in(of(DType::kF32, {0.5, 1.59, 1.1, -1.1, -0.8, 1.49}, {2, 1, 3}))
      .in(of(DType::kF32, {-1.98, 1.28}, {2, 1}));
  expect_near(node, "float32 2x2x3",
              {-1.48, -0.39, -0.88, 1.78, 2.87, 2.38, -3.08, -2.78, -0.49, 0.1799999, 0.48, 2.77});
}

TEST(Add, takes_scalars_and_empty_tensors) {
  Node node("Add");
  node.in(of(DType::kF32, {2}, {})).in(of(DType::kF32, {}, {0, 3}));
  expect_near(node, "float32 0x3", {});
}

TEST(Add, computes_float64) {
  Node node("Add");
  node.in(of(DType::kF64, {1e+300, 3}, {2})).in(of(DType::kF64, {2, 7}, {2}));
  expect_near(node, "float64 2", {1e+300, 10});
}

TEST(Add, is_exact_and_wraps_in_int64) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Node node("Add");
  node.in(vec({kMost, kMost - 1, (int64_t{1} << 53) + 1, 7})).in(vec({1, 1, 1, -3}));
  const auto out = node.run();
  ASSERT_TRUE(out.has_value());
  const auto y = (*out)[0].as<int64_t>();
  EXPECT_EQ(y[0], -kMost - 1);
  EXPECT_EQ(y[1], kMost);
  EXPECT_EQ(y[2], (int64_t{1} << 53) + 2);
  EXPECT_EQ(y[3], 4);
}

TEST(Add, wraps_in_uint8) {
  Node node("Add");
  node.in(of(DType::kU8, {200, 3}, {2})).in(of(DType::kU8, {100, 5}, {2}));
  EXPECT_EQ(node.result(), (Values{44, 8}));
}

TEST(Add, broadcasts_symbolic_shapes) {
  EXPECT_EQ(
      Node("Add").in(type("[b, 1, t]", DType::kF32)).in(type("[3, 1]", DType::kF32)).inferred(),
      "float32[b, 3, t]");
  EXPECT_EQ(Node("Add").in(type("[2, 3]", DType::kF32)).in(type("[2]", DType::kF32)).inferred(),
            "ShapeMismatch");
}

TEST(Add, carries_content) {
  EXPECT_EQ(Node("Add").dims("[b, 3*t]").in(vec({1})).inferred(), "int64[2] = [b + 1, 3*t + 1]");
  EXPECT_EQ(Node("Add").dims("[b]").in(type("[1]", DType::kI64)).inferred(), "int64[1]");
}

TEST(Add, has_no_content_where_it_may_wrap) {
  EXPECT_EQ(Node("Add").in(of(DType::kU8, {250}, {1})).in(of(DType::kU8, {9}, {1})).inferred(),
            "uint8[1]");
  EXPECT_EQ(Node("Add").in(vec({std::numeric_limits<int64_t>::max()})).in(vec({1})).inferred(),
            "int64[1]");
}

TEST(Add, refuses_two_dtypes) {
  EXPECT_EQ(Node("Add").in(iota({2})).in(vec({1, 2})).inferred(), "DTypeMismatch");
  EXPECT_EQ(Node("Add").in(iota({2})).inferred(), "BadArity");
}

}  // namespace
}  // namespace npugraph::testing
