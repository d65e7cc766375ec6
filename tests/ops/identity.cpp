// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Identity, gives_its_input) {
  const Tensor x = of(DType::kI4, {-8, 7, 3}, {3});
  EXPECT_EQ(Node("Identity").in(x).result(), values(x));
  EXPECT_EQ(Node("Identity").in(x).ran(), "int4 3");
  EXPECT_EQ(Node("Identity").dims("[b, 2]").inferred(), "int64[2] = [b, 2]");
}

}  // namespace
}  // namespace npugraph::testing
