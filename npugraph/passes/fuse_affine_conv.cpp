// SPDX-License-Identifier: Apache-2.0
// Mul, Div, Add, Sub by input channel, or BatchNormalization, before Convs go into their weights
// and biases. A shift goes only into Convs without padding: what is padded is zero, not the shift.
// Before the others x * s + t becomes x + t / s, the scale going into the weights.
#include <algorithm>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/passes/conv_affine.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

bool is_plain_conv(const Node& node) { return node.is("Conv") || node.is("ConvTranspose"); }

/// Reads nothing but its input: the weights see each channel's shift everywhere alike.
bool takes_shift(const Node& conv) {
  if (!conv.is("Conv")) return false;
  const Attrs& attrs = conv.attrs();
  if (attrs.has("auto_pad") && attrs.str("auto_pad") == "VALID") return true;
  if (attrs.has("auto_pad") && attrs.str("auto_pad") != "NOTSET") return false;
  if (!attrs.has("pads")) return true;
  const Ints& pads = attrs.ints("pads");
  return std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; });
}

/// The readers of `value` when all of them are Convs of its graph with constant weights that nobody
/// else reads; empty otherwise.
std::vector<Node*> convs_after(const Value& value) {
  std::vector<Node*> convs;
  if (is_any_output(value)) return convs;
  for (const Use& use : value.uses()) {
    const bool fits = use.index == 0 && &use.node->graph() == &value.graph() &&
                      is_plain_conv(*use.node) && constant_channels(*use.node).has_value() &&
                      is_private(*use.node->input(1));
    if (!fits) return {};
    convs.push_back(use.node);
  }
  return convs;
}

bool is_zero(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return number == 0; });
}

/// The data input of a node that channel_affine() may take.
Value* data_input(const Node& node) {
  if (node.is("BatchNormalization")) return node.input(0);
  if (node.inputs().size() != 2) return nullptr;
  const bool is_first = node.input(0)->constant() == nullptr;
  return is_first ? node.input(0) : node.input(1);
}

Status fold(Node& node, Value& x, std::span<Node* const> convs, const ChannelAffine& affine) {
  for (Node* conv : convs) {
    NPU_TRY(scale_input(*conv, affine.scale, affine.shift));
    merge_origins(*conv, {&node, conv});
    conv->set_input(0, &x);
  }
  node.graph().erase(node);
  return ok();
}

/// x * s + t as x + t / s: the Add with a new constant, and s for the Convs behind it.
Result<bool> move_scale(Node& add, std::span<Node* const> convs, const ChannelAffine& shift) {
  Value* const scaled = data_input(add);
  Node* const mul = scaled != nullptr ? scaled->producer() : nullptr;
  if (mul == nullptr || sole_user(*scaled) != &add) return false;
  Value* const x = data_input(*mul);
  const auto channels = static_cast<int64_t>(shift.shift.size());
  const auto scale =
      x != nullptr && x->has_type ? channel_affine(*mul, *x, channels) : std::nullopt;
  if (!scale || !is_zero(scale->shift) || add.is("BatchNormalization")) return false;
  const DType dtype = x->type.dtype;
  Dims dims(static_cast<size_t>(x->type.shape.rank()) - 1, 1);
  dims[0] = channels;
  NPU_LET(Tensor moved, Tensor::zeros(dtype, dims));
  for (size_t c = 0; c < shift.shift.size(); ++c) {
    const double number = shift.shift[c] / scale->scale[c];
    if (!std::isfinite(number)) return false;
    moved.mutable_view().store(static_cast<int64_t>(c), number);
  }
  const ChannelAffine factor = {.scale = scale->scale,
                                .shift = std::vector<double>(shift.shift.size(), 0)};
  Graph& graph = add.graph();
  Value& constant = graph.add_constant(text(add.name(), ".shift"), std::move(moved));
  NPU_LET(Node* const by, insert_node(add, "", "Add", add.name(), {x, &constant}, {}));
  merge_origins(*by, {mul, &add});
  replace_node(add, *by);
  graph.erase(*mul);
  for (Node* conv : convs) {
    NPU_TRY(scale_input(*conv, factor.scale, factor.shift));
    merge_origins(*conv, {by, conv});
  }
  return true;
}

Result<bool> fuse(Node& conv) {
  Value& value = *conv.input(0);
  Node* const node = value.producer();
  if (node == nullptr || &node->graph() != &conv.graph()) return false;
  Value* const x = data_input(*node);
  if (x == nullptr || !x->has_type) return false;
  const std::vector<Node*> convs = convs_after(value);
  if (convs.empty()) return false;
  const int64_t channels = input_channels(*convs[0]);
  for (const Node* each : convs) {
    if (input_channels(*each) != channels) return false;
  }
  const std::optional<ChannelAffine> affine = channel_affine(*node, *x, channels);
  if (!affine) return false;
  const bool takes_all =
      is_zero(affine->shift) ||
      std::all_of(convs.begin(), convs.end(), [](const Node* each) { return takes_shift(*each); });
  if (takes_all) {
    NPU_TRY(fold(*node, *x, convs, *affine));
    return true;
  }
  const bool is_shift = std::all_of(affine->scale.begin(), affine->scale.end(),
                                    [](double number) { return number == 1; });
  return is_shift ? move_scale(*node, convs, *affine) : Result<bool>(false);
}

}  // namespace

Result<int64_t> fuse_affine_conv(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  if (!context.reassociate) return changes;
  for (Node* conv : nodes_of(graph, {"Conv", "ConvTranspose"})) {
    for (bool again = constant_channels(*conv).has_value(); again;) {
      NPU_LET(again, fuse(*conv));
      changes += again ? 1 : 0;
    }
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
