// SPDX-License-Identifier: Apache-2.0
// BatchNormalization(Conv(x)) = Conv'(x) with weights w * s and bias (b - mean) * s + beta, where
// s = scale / sqrt(var + epsilon) by output channel. ConvTranspose alike.
#include "npugraph/passes/conv_affine.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {

Result<int64_t> fuse_conv_batch_norm(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  if (!context.reassociate) return changes;
  for (Node* norm : nodes_of(graph, {"BatchNormalization"})) {
    Node* const conv = norm->input(0)->producer();
    if (conv == nullptr || sole_user(*norm->input(0)) != norm || &conv->graph() != &graph) continue;
    const std::optional<int64_t> channels = constant_channels(*conv);
    if (!channels) continue;
    const auto affine = channel_affine(*norm, *conv->output(), *channels);
    if (!affine) continue;
    NPU_TRY(scale_output(*conv, affine->scale, affine->shift));
    absorb_into(*conv, *norm);
    ++changes;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
