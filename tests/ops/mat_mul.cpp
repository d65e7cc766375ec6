// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(MatMul, multiplies_matrices) {
  Node node("MatMul");
  node.in(of(DType::kF32, {0.58, 0.88, 1.99, 1.76, 1.37, 1.11}, {2, 3}))
      .in(of(DType::kF32, {-0.42, 0.56, -1.26, 1.04, 1.03, 0.89}, {3, 2}));
  expect_near(node, "float32 2x2", {0.6973, 3.0111, -1.3221, 3.3983});
}

TEST(MatMul, broadcasts_batches) {
  Node node("MatMul");
  node.in(of(DType::kF32,
             {-0.22, -0.49, -0.32, -1.87, 1.38, 0.17, -0.45, 0.19, 0.89, -0.47, 1.32, 1.68},
             {2, 1, 2, 3}))
      .in(of(DType::kF32,
             {-0.45, -1.45, 1.04, 1.97, -1.41, 0.85, 1.3, 1.68, -1.51, -1.63, 1.95, -1.53},
             {2, 3, 2}));
  expect_near(node, "float32 2x2x2x2",
              {0.04059997, -0.9183, 2.037, 5.5746, -0.1701, 0.9187, -4.1833, -5.6511, -0.8548,
               1.7833, -0.7844998, 4.7099, 0.8636001, -2.4274, 0.6717998, -5.5116});
}

TEST(MatMul, takes_a_vector_on_the_left) {
  Node node("MatMul");
  node.in(of(DType::kF32, {-1.29, 0.3, -0.21}, {3}))
      .in(of(DType::kF32,
             {1, -1.24, 1.66, -1.13, 1.08, -1.73, -0.11, -1.87, -0.74, -0.75, 0.88, -0.18},
             {2, 3, 2}));
  expect_near(node, "float32 2x2", {-1.0188, 1.6239, -0.2649, 2.2251});
}

TEST(MatMul, takes_a_vector_on_the_right) {
  Node node("MatMul");
  node.in(of(DType::kF32,
             {-1.77, 1.98, 1.55, 1.67, -1.01, -0.42, -1.09, -1.5, -1.87, 0.01, -1.51, -1.29},
             {2, 2, 3}))
      .in(of(DType::kF32, {1.44, -0.06, -1.27}, {3}));
  expect_near(node, "float32 2x2", {-4.6361, 2.9988, 0.8952998, 1.7433});
}

TEST(MatMul, takes_two_vectors) {
  Node node("MatMul");
  node.in(of(DType::kF32, {0.68, -0.94, 0.11}, {3})).in(of(DType::kF32, {-0.87, 0.06, 0.51}, {3}));
  expect_near(node, "float32 scalar", {-0.5919});
}

TEST(MatMul, takes_int32) {
  Node node("MatMul");
  node.in(of(DType::kI32, {-1, 0, 8, -2, 8, 5}, {2, 3}))
      .in(of(DType::kI32, {-6, 6, -3, -6, -5, -7}, {3, 2}));
  expect_near(node, "int32 2x2", {-34, -62, -37, -95});
}

TEST(MatMul, is_exact_and_wraps_in_int64) {
  constexpr int64_t kBig = int64_t{1} << 62;
  Node node("MatMul");
  node.in(Tensor::of_ints({kBig, 1, 3}, {1, 3}))
      .in(Tensor::of_ints({4, (int64_t{1} << 53) + 1, 1}, {3, 1}));
  const auto out = node.run();
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ((*out)[0].as<int64_t>()[0], (int64_t{1} << 53) + 4);
}

TEST(MatMul, multiplies_nothing_to_zeros) {
  EXPECT_EQ(Node("MatMul").in(iota({2, 0})).in(iota({0, 1})).result(), (Values{0, 0}));
  EXPECT_EQ(Node("MatMul").in(iota({0, 3})).in(iota({3, 2})).ran(), "float32 0x2");
}

TEST(MatMul, infers_symbolic_shapes) {
  EXPECT_EQ(Node("MatMul").in(type("[b, 12, t, 64]")).in(type("[b, 12, 64, t + p]")).inferred(),
            "float32[b, 12, t, p + t]");
  EXPECT_EQ(Node("MatMul").in(type("[k]")).in(type("[b, k, n]")).inferred(), "float32[b, n]");
  EXPECT_EQ(Node("MatMul").in(type("[k]")).in(type("[k]")).inferred(), "float32[]");
}

TEST(MatMul, refuses_what_does_not_fit) {
  EXPECT_EQ(Node("MatMul").in(iota({2, 3})).in(iota({2, 3})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("MatMul").in(iota({})).in(iota({2, 3})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("MatMul").in(type("[2, 4, k]")).in(type("[3, k, 4]")).inferred(), "ShapeMismatch");
}

TEST(MatMul, knows_its_work) {
  const OpSchema* op = find_op("", "MatMul");
  const std::vector<TensorType> in = {type("[2, 3, 5]"), type("[5, 7]")}, out = {type("[2, 3, 7]")};
  const Work work = work_of(*op, in, out, {});
  EXPECT_EQ(work.flops, 2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(work.bytes, 4.0 * (30 + 35 + 42));
}

}  // namespace
}  // namespace npugraph::testing
