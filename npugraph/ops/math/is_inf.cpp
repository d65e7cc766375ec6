// SPDX-License-Identifier: Apache-2.0
// Whether each element is an infinity, of the signs asked for.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return one_output(DType::kBool, context.shape(0));
}

Status reference(const RunContext& context) noexcept {
  const bool positive = context.attrs.flag("detect_positive");
  const bool negative = context.attrs.flag("detect_negative");
  return map_real(context, [=](double x) {
    return std::isinf(x) && (x > 0 ? positive : negative) ? 1.0 : 0.0;
  });
}

}  // namespace

OpSchema is_inf() {
  return {
      .name = "IsInf",
      .op_class = OpClass::kMath,
      .doc = "y = x is +infinity (if detect_positive) or -infinity (if detect_negative)",
      .onnx = {"IsInf"},
      .aten = {"aten::isinf"},
      .inputs = {{"X", kFloatTypes}},
      .attrs = {{"detect_negative", AttrKind::kInt, int64_t{1}, false, 0, 1},
                {"detect_positive", AttrKind::kInt, int64_t{1}, false, 0, 1}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
