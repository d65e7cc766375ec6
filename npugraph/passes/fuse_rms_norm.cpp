// SPDX-License-Identifier: Apache-2.0
// RMSNormalization = x / sqrt(mean(x^2) + epsilon) * scale over trailing axes. As in
// fuse_layer_norm the division comes first, with a scale of ones, then a Mul and Casts around it.
#include "npugraph/passes/normalization.h"
#include "npugraph/passes/passes.h"

namespace npugraph::passes {
namespace {

Result<bool> takes_mean_square(Match& match) {
  const auto axis = trailing_axis(match.value("d")->type.shape, match.constant("b"), nullptr);
  if (!axis || !set_epsilon(match, "e")) return false;
  return set_unit_scale(match, "d", *axis);
}

std::vector<Rewrite> rewrites() {
  const std::string put = "y = RMSNormalization{*n}(x, scale)";
  return {
      {std::string(kMeanSquare) + std::string(kOverRoot),
       "y = RMSNormalization{axis = $axis, epsilon = $epsilon}(d, scale)", takes_mean_square},
      {"n = RMSNormalization{*}(x, #s); y = Mul(n, #g)", put, fold_scale},
      {"c = Cast{*}(x); n = RMSNormalization{*}(c, #s); y = Cast{*}(n)", put, fold_casts},
  };
}

}  // namespace

Result<int64_t> fuse_rms_norm(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites(rewrites());
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
