// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/epilogue.h"

#include <algorithm>
#include <array>

#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

constexpr std::array<std::string_view, 4> kPlain = {"Relu", "HardSwish", "Sigmoid", "Tanh"};

/// The constant that `add` puts onto each row of `v`: a vector along the last axis, or a number.
const Tensor* row_bias(const Node& add, const Value& v) {
  const Value* other = add.is("Add") ? other_input(add, v) : nullptr;
  const Tensor* data = other != nullptr ? other->constant() : nullptr;
  if (data == nullptr || !same_type(v, *add.output())) return nullptr;
  if (data->elements() == 1) return data;
  const Shape& shape = v.type.shape;
  const std::optional<int64_t> n = shape[shape.rank() - 1].known();
  const bool fits = n && !data->dims().empty() && data->dims().back() == *n;
  return fits && data->elements() == *n ? data : nullptr;
}

Value* residual_of(const Node& add, const Value& v) {
  Value* const other = add.is("Add") ? other_input(add, v) : nullptr;
  if (other == nullptr || !same_type(*other, v) || !same_type(v, *add.output())) return nullptr;
  return other;
}

}  // namespace

std::optional<Activation> activation_of(const Node& node) {
  if (!node.schema().domain.empty()) return std::nullopt;
  const Attrs& attrs = node.attrs();
  if (std::find(kPlain.begin(), kPlain.end(), node.op()) != kPlain.end()) {
    return Activation{std::string(node.op()), {}};
  }
  if (node.is("LeakyRelu")) return Activation{"LeakyRelu", {attrs.f64("alpha")}};
  if (node.is("HardSigmoid")) {
    return Activation{"HardSigmoid", {attrs.f64("alpha"), attrs.f64("beta")}};
  }
  if (node.is("Swish") && attrs.f64("alpha") == 1) return Activation{"Silu", {}};
  if (node.is("Gelu") && attrs.str("approximate") == "none") return Activation{"Gelu", {}};
  if (node.is("Clip")) {
    const std::optional<double> low = scalar_of(node.input(1)), high = scalar_of(node.input(2));
    if (low && high) return Activation{"Clip", {*low, *high}};
  }
  return std::nullopt;
}

Epilogue match_epilogue(const Node& root, Addends takes) {
  Epilogue out;
  const Value* v = root.output();
  if (!is_float_type(*v) || v->type.shape.rank() < 1) return out;
  while (Node* const user = sole_user(*v)) {
    const Tensor* bias = takes.bias && out.bias == nullptr ? row_bias(*user, *v) : nullptr;
    Value* const residual = bias == nullptr && takes.residual && out.residual == nullptr
                                ? residual_of(*user, *v)
                                : nullptr;
    if (bias != nullptr) {
      out.bias = bias;
    } else if (residual != nullptr) {
      out.residual = residual;
    } else if (std::optional<Activation> found = activation_of(*user);
               found && user->input(0) == v && same_type(*v, *user->output())) {
      out.activation = *std::move(found);
      out.nodes.push_back(user);
      break;
    } else {
      break;
    }
    out.nodes.push_back(user);
    v = user->output();
  }
  return out;
}

Status replace_by_fused(Node& root, const Epilogue& epilogue, std::string_view op,
                        std::vector<Value*> inputs, Attrs attrs) {
  while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
  attrs.set("activation", epilogue.activation.name);
  attrs.set("activation_params", epilogue.activation.params);
  Node& last = *epilogue.nodes.back();
  NPU_LET(Node* const fused,
          insert_node(last, "npugraph", op, root.name(), std::move(inputs), std::move(attrs)));
  // Names of all the nodes, in order.
  fused->origins = origins_of(root);
  for (const Node* node : epilogue.nodes) merge_origins(*fused, {fused, node});
  redirect(last, *fused->output(), true);
  Graph& graph = root.graph();
  for (size_t i = epilogue.nodes.size() - 1; i-- > 0;) graph.erase(*epilogue.nodes[i]);
  const std::string name = root.name();
  graph.erase(root);
  graph.rename(*fused, name);
  return ok();
}

}  // namespace npugraph
