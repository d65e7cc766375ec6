// SPDX-License-Identifier: Apache-2.0
// Swish(x) = x * sigmoid(alpha * x).
#include <cmath>

#include "npugraph/passes/activation_patterns.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

Result<bool> takes_alpha(Match& match) {
  const std::optional<double> alpha = scalar_of(match.value("a"));
  if (!alpha || !std::isfinite(*alpha)) return false;
  match.set_attr("alpha", *alpha);
  return true;
}

}  // namespace

Result<int64_t> fuse_swish(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites({
      Rewrite{"y = Mul(x, Sigmoid(x))", "y = Swish(x)"},
      Rewrite{"e = Add(Exp(Neg(x)), 1); y = Div(x, e) | Mul(x, Div(1, e) | Reciprocal(e))",
              "y = Swish(x)"},
      Rewrite{"y = Mul(x, Sigmoid(Mul(x, #a)))", "y = Swish{alpha = $alpha}(x)", takes_alpha},
  });
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
