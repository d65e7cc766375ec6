// SPDX-License-Identifier: Apache-2.0
// Mish(x) = x * tanh(softplus(x)), softplus(x) = ln(1 + e^x), which is x to float from 20 on.
#include "npugraph/passes/passes.h"
#include "npugraph/passes/pattern.h"

namespace npugraph::passes {

Result<int64_t> fuse_mish(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites({
      Rewrite{"s = Softplus(x) | Log(Add(Exp(x), 1));"
              "y = Mul(x, Tanh(s | Where(Greater(x, 20), x, s)))",
              "y = Mish(x)"},
  });
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
