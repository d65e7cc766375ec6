// SPDX-License-Identifier: Apache-2.0
// LayerNormalization = (x - mean) / sqrt(variance + epsilon) * scale + bias over trailing axes. The
// division is found first, with a scale of ones; what follows it is then put into the new node: a
// Mul into its scale, an Add as its bias, Casts around it into its dtype.
#include "npugraph/base/text.h"
#include "npugraph/passes/normalization.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

Result<bool> takes_moments(Match& match) {
  const Shape& x = match.value("x")->type.shape;
  const auto axis = trailing_axis(x, match.constant("a"), match.constant("b"));
  if (!axis || !set_epsilon(match, "e")) return false;
  return set_unit_scale(match, "x", *axis);
}

Result<bool> takes_scaled_moments(Match& match) {
  NPU_LET(const bool fits, takes_moments(match));
  if (!fits) return false;
  const Shape& x = match.value("x")->type.shape;
  const int64_t axis = *trailing_axis(x, match.constant("a"), nullptr);
  NPU_LET(std::optional<Tensor> scale, along_axes(*match.constant("g"), x, axis));
  NPU_LET(std::optional<Tensor> bias, along_axes(*match.constant("h"), x, axis));
  if (!scale || !bias) return false;
  match.set_constant("scale", *std::move(scale));
  match.set_constant("bias", *std::move(bias));
  return true;
}

/// The rows of a Reshape to [., ., rest...] before InstanceNormalization are rows of x.
Result<bool> takes_reshaped(Match& match) {
  const Shape& x = match.value("x")->type.shape;
  const Shape& rows = match.value("r")->type.shape;
  if (!x.ranked() || rows.rank() < 3 || !all_equal(*match.constant("s"), 1) ||
      !all_equal(*match.constant("b"), 0)) {
    return false;
  }
  Dim length = 1;
  for (int64_t d = 2; d < rows.rank(); ++d) length = length * rows[d];
  Dim product = 1;
  for (int64_t axis = x.rank() - 1; axis > 0; --axis) {
    product = product * x[axis];
    if (product == length) return set_unit_scale(match, "x", axis);
  }
  return false;
}

Result<bool> takes_bias(Match& match) {
  const TensorType& x = match.value("x")->type;
  NPU_LET(std::optional<Tensor> bias, along_axes(*match.constant("g"), x.shape, axis_of(match)));
  if (!bias || bias->dtype() != x.dtype) return false;
  match.set_constant("bias", *std::move(bias));
  return true;
}

std::vector<Rewrite> rewrites() {
  const std::string moments = text(kCentred, kMeanSquare);
  const std::string node = "y = LayerNormalization{axis = $axis, epsilon = $epsilon}";
  const std::string found = "n = LayerNormalization{*}(x, #s); ";
  const std::string widened = "c = Cast{*}(x); n = LayerNormalization{*}";
  return {
      {text(moments, kOverRoot), node + "(x, scale)", takes_moments},
      {text(moments, kScaledOverRoot), node + "(x, scale, bias)", takes_scaled_moments},
      {"r = Reshape{*}(x, p); n = InstanceNormalization{epsilon = $epsilon}(r, #s, #b); "
       "y = Reshape{*}(n, q)",
       node + "(x, scale)", takes_reshaped},
      {found + "y = Mul(n, #g)", "y = LayerNormalization{*n}(x, scale)", fold_scale},
      {found + "y = Add(n, #g)", "y = LayerNormalization{*n}(x, s, bias)", takes_bias},
      {widened + "(c, #s); y = Cast{*}(n)", "y = LayerNormalization{*n}(x, scale)", fold_casts},
      {widened + "(c, #s, #b); y = Cast{*}(n)", "y = LayerNormalization{*n}(x, scale, bias)",
       fold_casts},
  };
}

}  // namespace

Result<int64_t> fuse_layer_norm(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites(rewrites());
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
