// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

// The examples of ONNX's GatherND.
TEST(GatherND, picks_elements_and_slices) {
  EXPECT_EQ(Node("GatherND").in(iota({2, 2})).in(Tensor::of_ints({0, 0, 1, 1}, {2, 2})).result(),
            (Values{0, 3}));
  EXPECT_EQ(Node("GatherND").in(iota({2, 2})).in(Tensor::of_ints({1, 0}, {2, 1})).result(),
            (Values{2, 3, 0, 1}));
  EXPECT_EQ(
      Node("GatherND").in(iota({2, 2, 2})).in(Tensor::of_ints({0, 1, 1, 0}, {2, 1, 2})).result(),
      (Values{2, 3, 4, 5}));
}

TEST(GatherND, takes_batches_and_negative_indices) {
  Node node("GatherND");
  node.attr("batch_dims", int64_t{1}).in(iota({2, 2, 2})).in(Tensor::of_ints({1, -2}, {2, 1}));
  EXPECT_EQ(node.ran(), "float32 2x2");
  EXPECT_EQ(node.result(), (Values{2, 3, 4, 5}));
}

TEST(GatherND, infers_symbolic_dims) {
  EXPECT_EQ(Node("GatherND").in(type("[b, t, 8]")).in(type("[n, 2]", DType::kI64)).inferred(),
            "float32[n, 8]");
  EXPECT_EQ(Node("GatherND").in(type("[b, t, 8]")).in(type("[n, k]", DType::kI64)).inferred(),
            "float32[*]");
}

TEST(GatherND, refuses_what_is_outside) {
  EXPECT_EQ(Node("GatherND").in(iota({2, 2})).in(Tensor::of_ints({0, 2}, {1, 2})).ran(),
            "IndexOutOfRange");
  EXPECT_EQ(Node("GatherND").in(iota({2, 2})).in(Tensor::of_ints({0, 0, 0}, {1, 3})).ran(),
            "ShapeMismatch");
  EXPECT_EQ(Node("GatherND").attr("batch_dims", int64_t{2}).in(iota({2, 2})).in(vec({0})).ran(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
