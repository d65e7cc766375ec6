// SPDX-License-Identifier: Apache-2.0
// Logical not.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

std::optional<Dim> content(std::span<const Dim> in) { return Dim(1) - in[0]; }

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, content);
}

Status reference(const RunContext& context) noexcept {
  return map_whole(context, [](int64_t x) { return x == 0; });
}

}  // namespace

OpSchema logical_not() {
  return {
      .name = "Not",
      .op_class = OpClass::kMath,
      .doc = "y = not x",
      .onnx = {"Not"},
      .aten = {"aten::logical_not"},
      .inputs = {{"X", kBoolType}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
