// SPDX-License-Identifier: Apache-2.0
#include "npugraph/plan/bindings.h"

#include <gtest/gtest.h>

namespace npugraph {
namespace {

TEST(bindings, symbols_are_read_off_inputs_and_must_agree) {
  const Dim b = Dim::symbol("b"), t = Dim::symbol("t");
  Dim::Bindings bindings;
  ASSERT_TRUE(bind_input({DType::kF32, Shape{b, 3, t}}, {2, 3, 7}, bindings));
  EXPECT_EQ(bindings, (Dim::Bindings{{"b", 2}, {"t", 7}}));
  ASSERT_TRUE(bind_input({DType::kF32, Shape{t + Dim(1)}}, {8}, bindings));
  EXPECT_EQ(bind_input({DType::kF32, Shape{b}}, {3}, bindings).error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(bind_input({DType::kF32, Shape{b, 4}}, {2, 5}, bindings).error().expected, "[b, 4]");
  EXPECT_FALSE(bind_input({DType::kF32, Shape{b}}, {2, 2}, bindings));
  EXPECT_FALSE(bind_input({DType::kF32, Shape{Dim::symbol("x")}}, {-1}, bindings));
}

TEST(bindings, a_shape_that_becomes_negative_is_refused) {
  const Shape shape{Dim::symbol("t") - Dim(5)};
  EXPECT_EQ(*evaluate_dims(shape, {{"t", 9}}), Dims{4});
  EXPECT_EQ(evaluate_dims(shape, {{"t", 4}}).error().id, ErrorId::kShapeMismatch);
}

}  // namespace
}  // namespace npugraph
