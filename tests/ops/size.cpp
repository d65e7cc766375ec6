// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(Size, counts_elements) {
  EXPECT_EQ(Node("Size").in(type("[b, 3, h]")).inferred(), "int64[] = [3*b*h]");
  EXPECT_EQ(Node("Size").in(iota({2, 3})).result(), (Values{6}));
  EXPECT_EQ(Node("Size").in(scalar(2)).result(), (Values{1}));
}

}  // namespace
}  // namespace npugraph::testing
