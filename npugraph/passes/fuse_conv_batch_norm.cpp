// SPDX-License-Identifier: Apache-2.0
// BatchNormalization(Conv(x)) = Conv'(x) with weights w * s and bias (b - mean) * s + beta, where
// s = scale / sqrt(var + epsilon) by output channel. ConvTranspose alike.
#include <cmath>

#include "npugraph/passes/conv_affine.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;
};

/// y = scale * x + shift of an inference BatchNormalization with constant parameters.
std::optional<Affine> affine_of(const Node& norm, int64_t channels) {
  if (norm.outputs().size() != 1 || norm.inputs().size() != 5) return std::nullopt;
  if (norm.attrs().has("training_mode") && norm.attrs().flag("training_mode")) return std::nullopt;
  for (int64_t i = 1; i < 5; ++i) {
    const Tensor* tensor = norm.input(i) != nullptr ? norm.input(i)->constant() : nullptr;
    if (tensor == nullptr || tensor->dims() != Dims{channels}) return std::nullopt;
  }
  const auto parameter = [&](int64_t input, int64_t channel) {
    return norm.input(input)->constant()->view().load(channel);
  };
  const double epsilon = norm.attrs().f64("epsilon");
  Affine affine;
  for (int64_t c = 0; c < channels; ++c) {
    const double scale = parameter(1, c) / std::sqrt(parameter(4, c) + epsilon);
    const double shift = parameter(2, c) - parameter(3, c) * scale;
    if (!std::isfinite(scale) || !std::isfinite(shift)) return std::nullopt;
    affine.scale.push_back(scale);
    affine.shift.push_back(shift);
  }
  return affine;
}

}  // namespace

Result<int64_t> fuse_conv_batch_norm(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  if (!context.reassociate) return changes;
  for (Node* norm : graph.nodes()) {
    if (!norm->is("BatchNormalization")) continue;
    Node* const conv = norm->input(0)->producer();
    if (conv == nullptr || sole_user(*norm->input(0)) != norm) continue;
    const std::optional<int64_t> channels = constant_channels(*conv);
    if (!channels || !same_type(*conv->output(), *norm->output())) continue;
    const std::optional<Affine> affine = affine_of(*norm, *channels);
    if (!affine) continue;
    NPU_TRY(scale_output(*conv, affine->scale, affine->shift));
    absorb_into(*conv, *norm);
    ++changes;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
