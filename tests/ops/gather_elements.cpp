// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

// The examples of ONNX's GatherElements.
TEST(GatherElements, picks_one_element_an_index) {
  Node node("GatherElements");
  node.attr("axis", int64_t{1}).in(of(DType::kF32, {1, 2, 3, 4}, {2, 2}));
  node.in(Tensor::of_ints({0, 0, 1, 0}, {2, 2}));
  EXPECT_EQ(node.result(), (Values{1, 1, 4, 3}));
}

TEST(GatherElements, takes_shorter_and_negative_indices) {
  Node node("GatherElements");
  node.in(iota({3, 3})).in(Tensor::of_ints({-1, 0, 2}, {1, 3}));
  EXPECT_EQ(node.result(), (Values{6, 1, 8}));
  EXPECT_EQ(Node("GatherElements").in(type("[b, 3]")).in(type("[n, 3]", DType::kI64)).inferred(),
            "float32[n, 3]");
}

TEST(GatherElements, refuses_what_is_outside) {
  EXPECT_EQ(Node("GatherElements").in(iota({2, 2})).in(Tensor::of_ints({2, 0}, {1, 2})).ran(),
            "IndexOutOfRange");
  EXPECT_EQ(Node("GatherElements").in(iota({2, 1})).in(Tensor::of_ints({0, 0}, {1, 2})).ran(),
            "IndexOutOfRange");
  EXPECT_EQ(Node("GatherElements").in(iota({2, 2})).in(vec({0})).ran(), "ShapeMismatch");
}

}  // namespace
}  // namespace npugraph::testing
