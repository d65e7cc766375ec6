// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(Gemm, multiplies_and_adds) {
  Node node("Gemm");
  node.attr("alpha", 0.5)
      .attr("beta", 2.0)
      .in(of(DType::kF32, {-1.55, 1.92, 1.77, -1.08, 1.88, -1.17}, {2, 3}))
      .in(of(DType::kF32,
             {0.03, -0.01, 1.66, -1.84, -0.74, 0.4, -1.73, -1.05, -0.14, 1.52, 1.04, 1.32}, {3, 4}))
      .in(of(DType::kF32, {1.04, 0.83, 1.4, 0.73}, {4}));
  expect_near(node, "float32 2x4",
              {1.22245, 3.39695, 0.7730999, 3.0462, 1.4501, 1.1522, -0.3309999, 0.6944001});
}

TEST(Gemm, transposes) {
  Node node("Gemm");
  node.attr("transA", int64_t{1})
      .attr("transB", int64_t{1})
      .in(of(DType::kF32, {0.94, -0.79, -1.33, 1.03, -1.34, 1.68}, {3, 2}))
      .in(of(DType::kF32,
             {0.39, -0.68, 1.75, -1.38, 0.06, -1.63, 1.86, 0.3, 1.21, -0.87, 1.21, 0.81}, {4, 3}))
      .in(of(DType::kF32, {0.57, 1.8}, {2, 1}));
  expect_near(node, "float32 2x4",
              {-0.504, 1.3772, 0.2979998, -2.9425, 3.7315, 0.2136002, 2.6724, 5.0944});
}

TEST(Gemm, needs_no_addend) {
  Node node("Gemm");
  node.in(of(DType::kF32, {-1.55, 1.92, 1.77, -1.08, 1.88, -1.17}, {2, 3}))
      .in(of(DType::kF32,
             {0.03, -0.01, 1.66, -1.84, -0.74, 0.4, -1.73, -1.05, -0.14, 1.52, 1.04, 1.32},
             {3, 4}));
  expect_near(node, "float32 2x4",
              {-1.7151, 3.4739, -4.0538, 3.1724, -1.2598, -1.0156, -6.262, -1.5312});
}

TEST(Gemm, takes_a_scalar_addend) {
  Node node("Gemm");
  node.in(of(DType::kF32, {-1.55, 1.92, 1.77, -1.08, 1.88, -1.17}, {2, 3}))
      .in(of(DType::kF32,
             {0.03, -0.01, 1.66, -1.84, -0.74, 0.4, -1.73, -1.05, -0.14, 1.52, 1.04, 1.32}, {3, 4}))
      .in(of(DType::kF32, {3}, {}));
  expect_near(node, "float32 2x4",
              {1.2849, 6.4739, -1.0538, 6.1724, 1.7402, 1.9844, -3.262, 1.4688});
}

TEST(Gemm, is_exact_on_integers) {
  Node node("Gemm");
  node.attr("alpha", 2.0).attr("beta", -1.0);
  node.in(Tensor::of_ints({1, 2, 3, 4}, {2, 2}))
      .in(Tensor::of_ints({5, 6, 7, 8}, {2, 2}))
      .in(vec({1, (int64_t{1} << 53) + 1}));
  const auto out = node.run();
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ((*out)[0].as<int64_t>()[0], 2 * 19 - 1);
  EXPECT_EQ((*out)[0].as<int64_t>()[3], 2 * 50 - (int64_t{1} << 53) - 1);
}

TEST(Gemm, infers_symbolic_shapes) {
  EXPECT_EQ(Node("Gemm")
                .attr("transB", int64_t{1})
                .in(type("[b, 512]"))
                .in(type("[10, 512]"))
                .in(type("[10]"))
                .inferred(),
            "float32[b, 10]");
}

TEST(Gemm, refuses_what_does_not_fit) {
  EXPECT_EQ(Node("Gemm").in(iota({2, 3})).in(iota({2, 3})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Gemm").in(iota({1, 2, 3})).in(iota({3, 4})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Gemm").in(iota({2, 3})).in(iota({3, 4})).in(iota({3})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Gemm").in(iota({2, 3})).in(iota({3, 4})).in(iota({2, 2, 4})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Gemm")
                .attr("alpha", 0.5)
                .in(Tensor::of_ints({1}, {1, 1}))
                .in(Tensor::of_ints({1}, {1, 1}))
                .inferred(),
            "BadAttribute");
  EXPECT_EQ(Node("Gemm").attr("transA", int64_t{2}).in(iota({1, 1})).in(iota({1, 1})).inferred(),
            "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
