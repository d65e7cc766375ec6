// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(If, names_its_branches) {
  const OpSchema* schema = find_op("", "If");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->subgraphs, (std::vector<std::string_view>{"then_branch", "else_branch"}));
  EXPECT_EQ(schema->infer, nullptr);
}

}  // namespace
}  // namespace npugraph::testing
