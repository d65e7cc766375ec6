// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

// The first example of ONNX's ScatterND.
TEST(ScatterND, writes_elements) {
  Node node("ScatterND");
  node.in(of(DType::kF32, {1, 2, 3, 4, 5, 6, 7, 8}, {8})).in(Tensor::of_ints({4, 3, 1, 7}, {4, 1}));
  node.in(of(DType::kF32, {9, 10, 11, 12}, {4}));
  EXPECT_EQ(node.result(), (Values{1, 11, 3, 10, 9, 6, 7, 12}));
}

TEST(ScatterND, writes_slices_and_reduces) {
  Node node("ScatterND");
  node.attr("reduction", std::string("add")).in(iota({2, 2})).in(Tensor::of_ints({1, 1}, {2, 1}));
  node.in(of(DType::kF32, {10, 20, 100, 200}, {2, 2}));
  EXPECT_EQ(node.result(), (Values{0, 1, 112, 223}));
}

TEST(ScatterND, carries_content) {
  EXPECT_EQ(
      Node("ScatterND").dims("[b, t, 4]").in(Tensor::of_ints({1}, {1, 1})).in(vec({7})).inferred(),
      "int64[3] = [b, 7, 4]");
}

TEST(ScatterND, refuses_what_is_outside) {
  EXPECT_EQ(Node("ScatterND").in(iota({2})).in(Tensor::of_ints({2}, {1, 1})).in(iota({1})).ran(),
            "IndexOutOfRange");
  EXPECT_EQ(Node("ScatterND").in(iota({2})).in(Tensor::of_ints({0}, {1, 1})).in(iota({2})).ran(),
            "ShapeMismatch");
  EXPECT_EQ(Node("ScatterND").in(iota({2})).in(Tensor::of_ints({0, 0}, {1, 2})).in(iota({1})).ran(),
            "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
