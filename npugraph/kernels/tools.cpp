// SPDX-License-Identifier: Apache-2.0
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {

bool all_f32(const KernelNode& node) {
  for (const KernelInput& input : node.in) {
    if (input.type != nullptr && input.type->dtype != DType::kF32) return false;
  }
  return true;
}

int64_t product_of(const Dims& dims, int64_t first, int64_t last) {
  int64_t product = 1;
  for (int64_t axis = first; axis < last; ++axis) product *= dim(dims, axis);
  return product;
}

int64_t product_of(const Dims& dims) {
  return product_of(dims, 0, static_cast<int64_t>(dims.size()));
}

std::optional<int64_t> element_bytes(DType dtype) {
  const int64_t bits = dtype_bits(dtype);
  if (bits % 8 != 0) return std::nullopt;
  return bits / 8;
}

std::optional<micro::Activation> fused_activation(const Attrs& attrs) {
  using micro::Unary;
  if (!attrs.has("activation")) return micro::Activation{};
  const std::string& name = attrs.str("activation");
  Floats params;
  if (attrs.has("activation_params")) params = attrs.floats("activation_params");
  const auto param = [&](size_t index, double fallback) {
    return static_cast<float>(index < params.size() ? params[index] : fallback);
  };
  if (name.empty()) return micro::Activation{};
  if (name == "Relu") return micro::Activation{Unary::kRelu};
  if (name == "HardSwish") return micro::Activation{Unary::kHardSwish};
  if (name == "Sigmoid") return micro::Activation{Unary::kSigmoid};
  if (name == "Tanh") return micro::Activation{Unary::kTanh};
  if (name == "Silu") return micro::Activation{Unary::kSilu};
  if (name == "Gelu") return micro::Activation{Unary::kGelu};
  if (params.empty()) return std::nullopt;
  if (name == "LeakyRelu") return micro::Activation{Unary::kLeakyRelu, param(0, 0)};
  if (params.size() < 2) return std::nullopt;
  if (name == "HardSigmoid")
    return micro::Activation{Unary::kHardSigmoid, param(0, 0), param(1, 0)};
  if (name == "Clip") return micro::Activation{Unary::kClip, param(0, 0), param(1, 0)};
  return std::nullopt;
}

Dims broadcast_steps(const Dims& from, const Dims& to) {
  Dims steps(to.size(), 0);
  const size_t lead = to.size() - from.size();
  int64_t step = 1;
  for (size_t axis = from.size(); axis-- > 0;) {
    if (from[axis] != 1) steps[lead + axis] = step;
    step *= from[axis];
  }
  return steps;
}

}  // namespace npugraph::kernels
