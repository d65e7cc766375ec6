// SPDX-License-Identifier: Apache-2.0
// Quantisation to uint8 by the range of the data, which is widened to hold 0. In single precision,
// as it is defined. Source: ONNX DynamicQuantizeLinear-11.
#include <algorithm>
#include <cmath>

#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

constexpr float kLevels = 255;

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(auto outputs, one_output(DType::kU8, context.shape(0)));
  outputs.push_back({{DType::kF32, Shape()}, std::nullopt});
  outputs.push_back({{DType::kU8, Shape()}, std::nullopt});
  return outputs;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  float low = 0, high = 0;
  for (const float value : x.as<float>()) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = high == low ? 1.0F : (high - low) / kLevels;
  const float zero = std::clamp(std::nearbyint(-low / scale), 0.0F, kLevels);
  context.out[1].store(0, static_cast<double>(scale));
  context.out[2].store(0, static_cast<double>(zero));
  int64_t i = 0;
  for (const float value : x.as<float>())
    context.out[0].store(i++, static_cast<double>(std::nearbyint(value / scale) + zero));
  return ok();
}

}  // namespace

OpSchema dynamic_quantize_linear() {
  return {
      .name = "DynamicQuantizeLinear",
      .op_class = OpClass::kNn,
      .doc =
          "y_scale = (max(x, 0) - min(x, 0)) / 255; y = saturate(round(x / y_scale) + "
          "y_zero_point)",
      .onnx = {"DynamicQuantizeLinear"},
      .inputs = {{"x", types({DType::kF32})}},
      .outputs = {{"y"}, {"y_scale"}, {"y_zero_point"}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
