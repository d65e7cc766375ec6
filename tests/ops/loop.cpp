// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Loop, names_its_body_and_takes_any_number_of_carried_values) {
  const OpSchema* schema = find_op("", "Loop");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->subgraphs, (std::vector<std::string_view>{"body"}));
  EXPECT_EQ(schema->min_inputs(), 0);
  const TensorType trips{DType::kI64, {}}, state{DType::kF32, {2}}, other{DType::kI8, {}};
  const std::vector<InferInput> in = {{&trips}, {}, {&state}, {&other}};
  EXPECT_TRUE(check_inputs(*schema, in, 2).has_value());
}

}  // namespace
}  // namespace npugraph::testing
