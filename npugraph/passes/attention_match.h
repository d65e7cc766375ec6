// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// A mask of attention scores that became known as one of these.
struct MaskTerm {
  enum class Kind : uint8_t {
    kFloat,   // value is added
    kKeep,    // value is bool, true where a key takes part
    kHide,    // value is bool, true where a key does not
    kCausal,  // key j takes part for query i when j <= i; no value
    kFill,    // as kKeep or kHide, but the others' scores become `fill`, finite and far below any
  };
  Kind kind = Kind::kFloat;
  Value* value = nullptr;
  bool hides = false;  // kFill: true in `value` stands for the fill
  double fill = 0;
  Shape scores = {};  // of the scores that it is added to: [b, h, s, t] or [b * h, s, t]
};

/// A mask that is added to scores whose type is `scores`. Only what is known for every size counts:
/// a constant or computed lower triangle is causal, Where(c, 0, -inf) is a bool mask. A finite
/// number far below any score hides a key only from a query that has another: it counts as -inf
/// where each query is known to have one and, `is_only`, no other mask may take that away.
MaskTerm added_mask(Value& mask, const Shape& scores, bool is_only);
/// Where(cond, scores, fill), or with the last two swapped, `hides`. Nothing when `fill` is not so
/// low that the weight of such a key is 0. A finite fill is taken as by added_mask().
std::optional<MaskTerm> filled_mask(Value& cond, double fill, bool hides, bool is_only);

/// softmax(scale * q k' + masks) v, q and v as [.., s, d], k as [.., d, s].
struct AttentionMatch {
  Value* q = nullptr;
  Value* k_transposed = nullptr;
  Value* v = nullptr;
  double scale = 1;
  std::vector<MaskTerm> masks;  // the one that is added last first
  bool wide_softmax = false;    // in float32, between casts from and to a smaller dtype
  Node* product = nullptr;      // the MatMul with v
  std::vector<const Node*> nodes;
};

/// The attention around `softmax`; nothing when there is none, or an output or another node reads
/// what is between its parts.
std::optional<AttentionMatch> match_attention(Node& softmax);

/// The value that `value` is a scalar multiple of by Mul or Div, and the factor; `value` itself and
/// 1 otherwise.
struct Scaled {
  Value* value = nullptr;
  double factor = 1;
  const Node* node = nullptr;  // the Mul or Div
};
Scaled unscaled(Value& value);

/// What `operand` of the first product is a multiple of; the factors, as far as nothing else reads
/// what they give, go into the scale of the match, and their nodes to its nodes.
Value* take_factors(Value& operand, AttentionMatch& match);

}  // namespace npugraph
