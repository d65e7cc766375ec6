// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// A node as the `activation` and `activation_params` attributes of FusedConv and FusedGemm.
/// Params: Clip {min, max}, LeakyRelu {alpha}, HardSigmoid {alpha, beta}; the others have none.
struct Activation {
  std::string name;
  Floats params;
};
/// Nothing when the node is no activation that these operators know, or a bound of Clip is absent
/// or data.
std::optional<Activation> activation_of(const Node& node);

/// What follows a Conv or matrix product and can be computed as its result is stored:
/// y = activation(product + bias + residual).
struct Epilogue {
  const Tensor* bias = nullptr;  // a number, or one for each element of the last axis
  Value* residual = nullptr;     // of the product's exact type
  Activation activation;         // name empty: none
  std::vector<Node*> nodes;      // those it stands for, in order; empty when nothing follows
};

/// What may be added to the product: a constant vector along the last axis, or number, once; a
/// tensor of its type, once.
struct Addends {
  bool bias = false;
  bool residual = true;
};

/// Follows the sole readers of root's output.
Epilogue match_epilogue(const Node& root, Addends takes);

/// The fused node in place of `root` and the epilogue's nodes, which are erased.
Status replace_by_fused(Node& root, const Epilogue& epilogue, std::string_view op,
                        std::vector<Value*> inputs, Attrs attrs);

}  // namespace npugraph
