// SPDX-License-Identifier: Apache-2.0
// Whether each element is not a number.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return one_output(DType::kBool, context.shape(0));
}

Status reference(const RunContext& context) noexcept {
  return map_real(context, [](double x) { return std::isnan(x) ? 1.0 : 0.0; });
}

}  // namespace

OpSchema is_nan() {
  return {
      .name = "IsNaN",
      .op_class = OpClass::kMath,
      .doc = "y = x is NaN",
      .onnx = {"IsNaN"},
      .aten = {"aten::isnan"},
      .inputs = {{"X", kFloatTypes}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
