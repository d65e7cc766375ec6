// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/ext/activation.h"

#include "npugraph/base/text.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

struct ActivationRow {
  std::string_view name;
  ActivationKind kind;
  size_t params;
};
constexpr std::array<ActivationRow, 10> kRows = {{
    {"", ActivationKind::kNone, 0},
    {"Relu", ActivationKind::kRelu, 0},
    {"Clip", ActivationKind::kClip, 2},
    {"LeakyRelu", ActivationKind::kLeakyRelu, 1},
    {"HardSwish", ActivationKind::kHardSwish, 0},
    {"HardSigmoid", ActivationKind::kHardSigmoid, 2},
    {"Sigmoid", ActivationKind::kSigmoid, 0},
    {"Tanh", ActivationKind::kTanh, 0},
    {"Silu", ActivationKind::kSilu, 0},
    {"Gelu", ActivationKind::kGelu, 0},
}};

}  // namespace

double FusedActivation::operator()(double x) const {
  switch (kind) {
    case ActivationKind::kNone:
      return x;
    case ActivationKind::kRelu:
      return relu_of(x);
    case ActivationKind::kClip:
      return clip_of(x, a, b);
    case ActivationKind::kLeakyRelu:
      return leaky_relu_of(x, a);
    case ActivationKind::kHardSwish:
      return hard_swish_of(x);
    case ActivationKind::kHardSigmoid:
      return hard_sigmoid_of(x, a, b);
    case ActivationKind::kSigmoid:
      return sigmoid_of(x);
    case ActivationKind::kTanh:
      return std::tanh(x);
    case ActivationKind::kSilu:
      return swish_of(x, 1);
    case ActivationKind::kGelu:
      return gelu_of(x);
  }
  return x;
}

Result<FusedActivation> fused_activation(const Attrs& attrs) {
  const Floats& params = attrs.floats("activation_params");
  for (const ActivationRow& row : kRows) {
    if (row.name != attrs.str("activation")) continue;
    if (params.size() != row.params)
      return fail(ErrorId::kBadAttribute,
                  text("number of 'activation_params' of activation '", row.name, "'"),
                  text(params.size()), text(row.params));
    FusedActivation activation{row.kind};
    if (row.params > 0) activation.a = params[0];
    if (row.params > 1) activation.b = params[1];
    return activation;
  }
  return fail(ErrorId::kBadAttribute, "attribute 'activation'", attrs.str("activation"));
}

std::vector<AttrSchema> activation_attrs() {
  std::vector<std::string_view> names;
  for (const ActivationRow& row : kRows) names.push_back(row.name);
  return {{.name = "activation",
           .kind = AttrKind::kString,
           .fallback = std::string(),
           .choices = std::move(names)},
          {"activation_params", AttrKind::kFloats, Floats{}}};
}

}  // namespace npugraph::ops
