// SPDX-License-Identifier: Apache-2.0
// Bitwise complement.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  return map_whole(context, [](int64_t x) { return ~x; });
}

}  // namespace

OpSchema bitwise_not() {
  return {
      .name = "BitwiseNot",
      .op_class = OpClass::kMath,
      .doc = "y = ~x, bit by bit",
      .onnx = {"BitwiseNot"},
      .aten = {"aten::bitwise_not"},
      .inputs = {{"X", kIntTypes}},
      .is_elementwise = true,
      .infer = infer_same,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
