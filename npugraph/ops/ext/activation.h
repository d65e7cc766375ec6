// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "npugraph/ops/attrs.h"
#include "npugraph/ops/op.h"

/// The activation that a fused operator ends with: attribute `activation` names it, attribute
/// `activation_params` has its numbers.
namespace npugraph::ops {

enum class ActivationKind : uint8_t {
  kNone,         // ""
  kRelu,         // "Relu"
  kClip,         // "Clip": low, high
  kLeakyRelu,    // "LeakyRelu": alpha
  kHardSwish,    // "HardSwish"
  kHardSigmoid,  // "HardSigmoid": alpha, beta
  kSigmoid,      // "Sigmoid"
  kTanh,         // "Tanh"
  kSilu,         // "Silu": x * sigmoid(x)
  kGelu,         // "Gelu": with erf
};

struct FusedActivation {
  ActivationKind kind = ActivationKind::kNone;
  double a = 0, b = 0;  // its numbers, in the order above

  double operator()(double x) const;
};

/// Errors: kBadAttribute for a wrong number of activation_params.
Result<FusedActivation> fused_activation(const Attrs& attrs);

/// activation and activation_params.
std::vector<AttrSchema> activation_attrs();

}  // namespace npugraph::ops
