// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/infer_tools.h"

#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(InferTools, odometer_walks_with_offsets) {
  Ints swapped;
  for (Odometer at({2, 3}, {{3, 1}, {1, 2}}); !at.done(); at.next()) {
    EXPECT_EQ(at.offset(0), at.count());
    swapped.push_back(at.offset(1));
  }
  EXPECT_EQ(swapped, (Ints{0, 2, 4, 1, 3, 5}));
  EXPECT_TRUE(Odometer({2, 0}).done());
  EXPECT_FALSE(Odometer({}).done());
}

TEST(InferTools, broadcast_strides_are_zero_where_repeated) {
  EXPECT_EQ(broadcast_strides({3, 1}, {2, 3, 4}), (Dims{0, 1, 0}));
  EXPECT_EQ(strides_of({2, 3, 4}), (Dims{12, 4, 1}));
}

TEST(InferTools, compares_expressions_only_where_it_is_certain) {
  const Dim b = Dim::symbol("b");
  EXPECT_EQ(dims_equal(b, b), true);
  EXPECT_EQ(dims_equal(b, Dim(-1)), false);
  EXPECT_EQ(dims_equal(b, Dim(1)), std::nullopt);
  EXPECT_EQ(dim_less(b, b + Dim(1)), true);
  EXPECT_EQ(dim_less(b, Dim(0)), false);
  EXPECT_EQ(dim_less(b, Dim(3)), std::nullopt);
}

TEST(InferTools, moves_every_width) {
  for (const DType dtype : {DType::kU4, DType::kBool, DType::kBF16, DType::kF32, DType::kI64}) {
    const Tensor from = of(dtype, {0, 1, 0, 1, 1}, {5});
    Tensor to = of(dtype, {0, 0, 0}, {3});
    copy_elements(from.view(), 2, to.mutable_view(), 0, 3);
    EXPECT_EQ(values(to), (Values{0, 1, 1}));
  }
}

TEST(InferTools, reduction_axes_default_to_all_or_none) {
  EXPECT_EQ(reduction_axes({}, 3, false), (Ints{0, 1, 2}));
  EXPECT_EQ(reduction_axes({}, 3, true), (Ints{}));
  EXPECT_EQ(reduction_axes({2, 0}, 3, false), (Ints{0, 2}));
}

}  // namespace
}  // namespace npugraph::testing
