// SPDX-License-Identifier: Apache-2.0
// Mul, Div, Add and Sub of a constant by output channel, or of a scalar, go into the weights and
// the bias of the Conv, ConvTranspose or BatchNormalization before them.
#include "npugraph/passes/conv_affine.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

Result<bool> fuse(Node& node) {
  const std::optional<int64_t> channels = constant_channels(node);
  Node* const user = channels ? sole_user(*node.output()) : nullptr;
  if (user == nullptr || user->is("BatchNormalization") || &user->graph() != &node.graph()) {
    return false;
  }
  const std::optional<ChannelAffine> affine = channel_affine(*user, *node.output(), *channels);
  if (!affine) return false;
  NPU_TRY(scale_output(node, affine->scale, affine->shift));
  absorb_into(node, *user);
  return true;
}

}  // namespace

Result<int64_t> fuse_conv_affine(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  if (!context.reassociate) return changes;
  for (Node* node : nodes_of(graph, {"Conv", "ConvTranspose", "BatchNormalization"})) {
    for (bool again = true; again;) {
      NPU_LET(again, fuse(*node));
      changes += again ? 1 : 0;
    }
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
