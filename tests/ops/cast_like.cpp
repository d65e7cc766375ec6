// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

namespace npugraph::testing {
namespace {

TEST(CastLike, takes_the_dtype_of_the_second) {
  EXPECT_EQ(Node("CastLike").in(of(DType::kF32, {1.5, 2}, {2})).in(scalar(0)).result(),
            (Values{1, 2}));
  EXPECT_EQ(Node("CastLike").in(type("[b]")).in(type("[c, 2]", DType::kF16)).inferred(),
            "float16[b]");
  EXPECT_EQ(Node("CastLike").dims("[b]").in(type("[]", DType::kI32)).inferred(), "int32[1] = [b]");
}

}  // namespace
}  // namespace npugraph::testing
