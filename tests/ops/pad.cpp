// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

Node pad_of(const std::string& mode, Tensor x, const std::vector<int64_t>& pads) {
  Node node("Pad");
  node.attr("mode", mode).in(std::move(x)).in(vec(pads));
  return node;
}

TEST(Pad, fills_by_mode) {
  EXPECT_EQ(pad_of("constant", iota({3}), {1, 2}).result(), (Values{0, 0, 1, 2, 0, 0}));
  EXPECT_EQ(pad_of("edge", iota({3}), {1, 2}).result(), (Values{0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(pad_of("reflect", iota({3}), {2, 1}).result(), (Values{2, 1, 0, 1, 2, 1}));
  EXPECT_EQ(pad_of("wrap", iota({3}), {2, 1}).result(), (Values{1, 2, 0, 1, 2, 0}));
}

// numpy.pad([0, 1, 2], (5, 0), 'reflect') and ([7], 2, 'reflect')
TEST(Pad, reflects_more_than_once) {
  EXPECT_EQ(pad_of("reflect", iota({3}), {5, 0}).result(), (Values{1, 0, 1, 2, 1, 0, 1, 2}));
  EXPECT_EQ(pad_of("reflect", of(DType::kF32, {7}, {1}), {2, 0}).result(), (Values{7, 7, 7}));
}

TEST(Pad, cuts_where_a_pad_is_negative) {
  EXPECT_EQ(pad_of("constant", iota({4}), {-1, 1}).result(), (Values{1, 2, 3, 0}));
  EXPECT_EQ(pad_of("edge", iota({4}), {1, -2}).result(), (Values{0, 0, 1}));
}

TEST(Pad, takes_a_value_and_axes) {
  Node node("Pad");
  node.in(iota({2, 1})).in(vec({0, 1})).in(Tensor::scalar(DType::kF32, 9)).in(vec({-1}));
  EXPECT_EQ(node.ran(), "float32 2x2");
  EXPECT_EQ(node.result(), (Values{0, 9, 1, 9}));
}

TEST(Pad, takes_symbolic_dims) {
  EXPECT_EQ(Node("Pad").in(type("[1, t]")).dims("[0, 2, 0, n]").inferred(),
            "float32[1, n + t + 2]");
  EXPECT_EQ(
      Node("Pad").in(type("[1, t]")).in(type("[2]", DType::kI64)).absent().in(vec({1})).inferred(),
      "float32[1, late.node.1]");
}

TEST(Pad, refuses_what_cannot_be) {
  EXPECT_EQ(pad_of("constant", iota({2}), {-3, 5}).inferred(), "ShapeMismatch");
  EXPECT_EQ(pad_of("edge", iota({0}), {1, 0}).inferred(), "ShapeMismatch");
  EXPECT_EQ(pad_of("constant", iota({2}), {1}).inferred(), "ShapeMismatch");
  EXPECT_EQ(pad_of("mirror", iota({2}), {1, 1}).inferred(), "BadAttribute");
  EXPECT_EQ(pad_of("constant", iota({2}), {int64_t{1} << 60, 1}).inferred(), "SizeOverflow");
}

}  // namespace
}  // namespace npugraph::testing
