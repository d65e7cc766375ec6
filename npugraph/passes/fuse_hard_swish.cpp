// SPDX-License-Identifier: Apache-2.0
// HardSwish(x) = x * clip(x + 3, 0, 6) / 6 = x * HardSigmoid(x) with alpha 1/6 and beta 1/2.
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/passes/activation_patterns.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

Result<bool> is_sixth(Match& match) {
  const Attrs& gate = match.node("g")->attrs();
  return std::abs(gate.f64("alpha") * 6 - 1) <= kConstantTolerance && gate.f64("beta") == 0.5;
}

}  // namespace

Result<int64_t> fuse_hard_swish(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites({
      Rewrite{"g = HardSigmoid{*}(x); y = Mul(x, g)", "y = HardSwish(x)", is_sixth},
      Rewrite{text("z = Add(x, 3);", kClipTo6,
                   "y = Div(Mul(x, c), 6) | Mul(Mul(x, c), 0.16666666666666667)"
                   "  | Mul(x, Div(c, 6) | Mul(c, 0.16666666666666667))"
                   "  | Mul(Div(x, 6) | Mul(x, 0.16666666666666667), c)"),
              "y = HardSwish(x)", is_on_floats},
  });
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
