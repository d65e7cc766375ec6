// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

Node scatter(const std::string& reduction, Tensor data, Tensor indices, Tensor updates) {
  Node node("ScatterElements");
  node.attr("reduction", reduction).in(std::move(data)).in(std::move(indices));
  node.in(std::move(updates));
  return node;
}

// The example of ONNX's ScatterElements.
TEST(ScatterElements, writes_elements) {
  Node node("ScatterElements");
  node.attr("axis", int64_t{1}).in(of(DType::kF32, {1, 2, 3, 4, 5}, {1, 5}));
  node.in(Tensor::of_ints({1, -2}, {1, 2})).in(of(DType::kF32, {1.5, 2.5}, {1, 2}));
  EXPECT_EQ(node.result(), (Values{1, 1.5, 3, 2.5, 5}));
}

TEST(ScatterElements, reduces) {
  const Tensor data = of(DType::kI32, {1, 2, 3}, {3}), updates = of(DType::kI32, {5, -4, 3}, {3});
  const Tensor indices = vec({0, 0, 2});
  EXPECT_EQ(scatter("add", data, indices, updates).result(), (Values{2, 2, 6}));
  EXPECT_EQ(scatter("mul", data, indices, updates).result(), (Values{-20, 2, 9}));
  EXPECT_EQ(scatter("max", data, indices, updates).result(), (Values{5, 2, 3}));
  EXPECT_EQ(scatter("min", data, indices, updates).result(), (Values{-4, 2, 3}));
}

TEST(ScatterElements, unsigned_64_bit_compare_and_wrap) {
  const Tensor big = of(DType::kU64, {18446744073709549568.0}, {1});
  const Tensor one = of(DType::kU64, {1}, {1});
  EXPECT_EQ(scatter("max", big, vec({0}), one).result(), (Values{18446744073709549568.0}));
  EXPECT_EQ(
      scatter("add", of(DType::kU8, {250}, {1}), vec({0}), of(DType::kU8, {10}, {1})).result(),
      (Values{4}));
}

TEST(ScatterElements, refuses_what_is_outside) {
  EXPECT_EQ(scatter("none", iota({2}), vec({2}), iota({1})).ran(), "IndexOutOfRange");
  EXPECT_EQ(scatter("none", iota({2}), vec({0, 1}), iota({1})).ran(), "ShapeMismatch");
  EXPECT_EQ(scatter("sub", iota({2}), vec({0}), iota({1})).ran(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
