// SPDX-License-Identifier: Apache-2.0
// Mul, Div, Add and Sub of a constant by output channel, or of a scalar, go into the weights and
// the bias of the Conv, ConvTranspose or BatchNormalization before them.
#include <cmath>

#include "npugraph/passes/conv_affine.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// One number a channel when `tensor`, broadcast to `rank` dims, varies along axis 1 at most.
std::optional<std::vector<double>> per_channel(const Tensor& tensor, int64_t rank,
                                               int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  if (tensor.elements() == 1) return std::vector<double>(count, tensor.view().load(0));
  const auto own_rank = static_cast<int64_t>(tensor.dims().size());
  const int64_t axis = own_rank - (rank - 1);
  if (axis < 0 || axis > 1 || tensor.elements() != channels ||
      tensor.dims()[static_cast<size_t>(axis)] != channels) {
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (int64_t c = 0; c < channels; ++c) numbers.push_back(tensor.view().load(c));
  return numbers;
}

/// What `node` does to y, its input from the Conv: scale * y + shift.
struct Step {
  double scale = 1;
  double shift = 0;
};
std::optional<Step> step_of(const Node& node, bool constant_first, double number) {
  if (node.is("Mul")) return Step{.scale = number};
  if (node.is("Add")) return Step{.shift = number};
  if (node.is("Div") && !constant_first) return Step{.scale = 1 / number};
  if (node.is("Sub")) {
    return constant_first ? Step{.scale = -1, .shift = number} : Step{.shift = -number};
  }
  return std::nullopt;
}

Result<bool> fuse(Node& node) {
  const std::optional<int64_t> channels = constant_channels(node);
  Node* const user = channels ? sole_user(*node.output()) : nullptr;
  if (user == nullptr || !user->schema().domain.empty()) return false;
  Value* const other = other_input(*user, *node.output());
  if (other == nullptr || other->constant() == nullptr ||
      !same_type(*node.output(), *user->output())) {
    return false;
  }
  const auto numbers = per_channel(*other->constant(), node.output()->type.shape.rank(), *channels);
  if (!numbers) return false;
  std::vector<double> scale, shift;
  for (const double number : *numbers) {
    const std::optional<Step> step = step_of(*user, user->input(0) == other, number);
    if (!step || !std::isfinite(step->scale) || !std::isfinite(step->shift)) return false;
    scale.push_back(step->scale);
    shift.push_back(step->shift);
  }
  NPU_TRY(scale_output(node, scale, shift));
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
