// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/near.h"

namespace npugraph::testing {
namespace {

TEST(BatchNormalization, works_on_images) {
  Node node("BatchNormalization");
  node.attr("epsilon", 0.01)
      .in(of(DType::kF32,
             {1.75, -0.68, 0.28,  -1.98, -0.51, 1.84,  -1.52, 1.48,  0.61, -0.82, 1.11, -0.84,
              1.58, -1.67, -1.52, 1,     -0.2,  -1.41, 0.05,  -0.81, 0.2,  0.97,  1.43, -1.76},
             {2, 3, 2, 2}))
      .in(of(DType::kF32, {-0.55, 1.27, 0.2}, {3}))
      .in(of(DType::kF32, {0.05, 1.04, 0.62}, {3}))
      .in(of(DType::kF32, {-0.84, -1.65, -0.15}, {3}))
      .in(of(DType::kF32, {1.78, 1.28, 0.3}, {3}));
  expect_near(
      node, "float32 2x3x2x2",
      {-1.014721, -0.01577428, -0.41042, 0.5186418, 2.314717,   4.942423,  1.185363,  4.539881,
       0.8930001, 0.3793289,   1.072605, 0.3721447, -0.9448362, 0.3912041, 0.3295407, -0.7064043,
       2.66135,   1.308362,    2.940894, 1.979265,  0.7457237,  1.022316,  1.187553,  0.04167098});
}

TEST(BatchNormalization, works_on_matrices) {
  Node node("BatchNormalization");
  node.in(of(DType::kF32, {-0.24, -0.46, 0.33, 0.35, 1.81, -0.65}, {2, 3}))
      .in(of(DType::kF32, {-0.37, 0.45, 1.55}, {3}))
      .in(of(DType::kF32, {0.82, -0.12, 1.26}, {3}))
      .in(of(DType::kF32, {-0.06, 1.85, -0.87}, {3}))
      .in(of(DType::kF32, {0.43, 1.69, 0.74}, {3}));
  expect_near(node, "float32 2x3",
              {0.9215629, -0.9196129, 3.422191, 0.5886623, -0.1338462, 1.656402});
}

TEST(BatchNormalization, checks_its_vectors) {
  const auto norm = [](std::string_view vector) {
    Node node("BatchNormalization");
    node.in(type("[n, 3, h, w]"));
    for (int i = 0; i < 4; ++i) node.in(type(vector));
    return node;
  };
  EXPECT_EQ(norm("[3]").inferred(), "float32[n, 3, h, w]");
  EXPECT_EQ(norm("[4]").inferred(), "ShapeMismatch");
  EXPECT_EQ(norm("[3, 1]").inferred(), "ShapeMismatch");
  EXPECT_EQ(norm("[3]").attr("epsilon", -1.0).inferred(), "BadAttribute");
  EXPECT_EQ(norm("[3]").attr("training_mode", int64_t{1}).inferred(), "BadAttribute");
}

}  // namespace
}  // namespace npugraph::testing
