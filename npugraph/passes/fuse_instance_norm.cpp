// SPDX-License-Identifier: Apache-2.0
// InstanceNormalization = (x - mean) / sqrt(variance + epsilon) over the axes after the channels,
// then scale and bias by channel. Without those it is left to fuse_layer_norm.
#include "npugraph/base/text.h"
#include "npugraph/passes/normalization.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// Whether mean and variance are over all axes after the channels; sets "$epsilon".
bool is_by_plane(Match& match) {
  const Shape& x = match.value("x")->type.shape;
  const auto axis = trailing_axis(x, match.constant("a"), match.constant("b"));
  return axis == 2 && x[1].known() && set_epsilon(match, "e");
}

/// A constant with a number for each channel, not one for all.
Result<bool> is_by_channel(const Value* value, const Shape& x) {
  const Tensor* data = value != nullptr ? value->constant() : nullptr;
  if (data == nullptr || data->elements() == 1) return false;
  NPU_LET(const std::optional<Tensor> fits, along_channels(*data, x));
  return fits.has_value();
}

Result<bool> takes_moments(Match& match) {
  if (!is_by_plane(match)) return false;
  const TensorType& x = match.value("x")->type;
  const Value& quotient = *match.root().output();
  const Node* next = sole_user(quotient);
  if (next == nullptr || !(next->is("Mul") || next->is("Add"))) return false;
  NPU_LET(const bool affine, is_by_channel(other_input(*next, quotient), x.shape));
  if (!affine) return false;
  NPU_LET(Tensor ones, filled(x.dtype, {*x.shape[1].known()}, 1));
  NPU_LET(Tensor zeros, filled(x.dtype, {*x.shape[1].known()}, 0));
  match.set_constant("scale", std::move(ones));
  match.set_constant("bias", std::move(zeros));
  return true;
}

Result<bool> takes_scaled_moments(Match& match) {
  if (!is_by_plane(match)) return false;
  const Shape& x = match.value("x")->type.shape;
  NPU_LET(std::optional<Tensor> scale, along_channels(*match.constant("g"), x));
  NPU_LET(std::optional<Tensor> bias, along_channels(*match.constant("h"), x));
  if (!scale || !bias) return false;
  match.set_constant("scale", *std::move(scale));
  match.set_constant("bias", *std::move(bias));
  return true;
}

std::vector<Rewrite> rewrites() {
  const std::string moments = text(kCentred, kMeanSquare);
  const std::string put = "y = InstanceNormalization{epsilon = $epsilon}(x, scale, bias)";
  std::vector<Rewrite> out = {
      {text(moments, kOverRoot), put, takes_moments},
      {text(moments, kScaledOverRoot), put, takes_scaled_moments},
  };
  for (Rewrite& affine : channel_affine_rewrites("InstanceNormalization")) {
    out.push_back(std::move(affine));
  }
  return out;
}

}  // namespace

Result<int64_t> fuse_instance_norm(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites(rewrites());
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
