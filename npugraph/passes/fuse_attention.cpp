// SPDX-License-Identifier: Apache-2.0
// softmax(scale * Q K' + mask) V becomes Attention, with Q, K and V as [b, h, s, d]. What has three
// axes is taken as it was before a Reshape to [b * h, s, d], or else for batches of one head. A
// query whose keys are all masked with -infinity gives zeros, where the parts give NaN.
#include <algorithm>
#include <limits>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/passes/attention_match.h"
#include "npugraph/passes/inserted.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/permutation.h"
#include "npugraph/passes/reshape_to.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// Rewrites one match before its last product.
class Builder {
 public:
  Builder(AttentionMatch match, Graph& graph)
      : match_(std::move(match)), at_(*match_.product), made_(at_, graph) {}

  Result<bool> run() { return made_.outcome(rewrite()); }

 private:
  Result<bool> rewrite() {
    if (!match_.q->has_type || !match_.k_transposed->has_type || !match_.v->has_type) return false;
    rank_ = match_.q->type.shape.rank();
    if ((rank_ != 3 && rank_ != 4) || match_.k_transposed->type.shape.rank() != rank_ ||
        match_.v->type.shape.rank() != rank_ || !(match_.scale > 0)) {
      return false;
    }
    NPU_LET(Value * k, transposed_back());
    if (rank_ == 3) k = unflattened(*k);
    q_ = match_.q->type.shape;
    k_ = k->type.shape;
    v_ = match_.v->type.shape;
    if (!sizes_fit() || !masks_fit()) return false;
    NPU_LET(Value * mask, make_mask());
    if (widens_mask_) {
      NPU_LET(mask, widened(*mask, *k));
      if (mask == nullptr) return false;
    }
    NPU_LET(Node* const node, attention({match_.q, k, match_.v, mask}));
    Node* place = &at_;
    Node* last = node;
    if (is_unflattened_) {
      Node* const reader = sole_user(*at_.output());
      if (reader != nullptr && reader->is("Reshape") &&
          same_type(*reader->output(), *node->output())) {
        place = reader;
        match_.nodes.push_back(reader);
      } else {
        NPU_LET(last, insert_reshape(at_, *node->output()));
      }
    }
    if (last == nullptr || !same_type(*last->output(), *place->output()) ||
        !can_redirect(*place->output(), *last->output())) {
      return false;
    }
    made_.keep();
    take_origins(*node, match_.nodes);
    replace_node(*place, *last);
    return true;
  }

  /// K as [b, h, s, d] from the transposed one.
  Result<Value*> transposed_back() {
    Value* from = match_.k_transposed;
    NPU_LET(Value* const flat, before_flat_transpose(*from));
    if (flat != nullptr) return take_factors(*flat, match_);
    Ints perm(at_index(rank_));
    for (int64_t axis = 0; axis < rank_; ++axis) perm[at_index(axis)] = axis;
    if (const auto found = permutation_of(from)) {
      perm = *found;
      if (is_private(*from)) match_.nodes.push_back(from->producer());
      from = from->producer()->input(0);
    }
    std::swap(perm[at_index(rank_ - 1)], perm[at_index(rank_ - 2)]);
    if (std::is_sorted(perm.begin(), perm.end())) return take_factors(*from, match_);
    Attrs attrs;
    attrs.set("perm", perm);
    return made_.value("Transpose", ".key", {from}, std::move(attrs));
  }

  /// Q, K and V as they were before a Reshape to [b * h, s, d], when all of them were; returns K.
  Value* unflattened(Value& key) {
    Value* before[3] = {match_.q, &key, match_.v};
    for (Value*& value : before) {
      const Node* flatten = made_by(value, "Reshape");
      Value* const from = flatten != nullptr ? flatten->input(0) : nullptr;
      if (from == nullptr || !from->has_type || from->type.shape.rank() != 4) return &key;
      const Shape& split = from->type.shape;
      const Shape& flat = value->type.shape;
      if (!(split[2] == flat[1]) || !(split[3] == flat[2])) return &key;
      value = from;
    }
    is_unflattened_ = true;
    rank_ = 4;
    match_.q = before[0];
    match_.v = before[2];
    return before[1];
  }

  /// What was transposed as [b * h, s, d], between two Reshapes; null when it was not.
  Result<Value*> before_flat_transpose(const Value& transposed) {
    Value* const none = nullptr;
    const Node* const last = made_by(&transposed, "Reshape");
    if (last == nullptr || rank_ != 4 || permutation_of(last->input(0)) != Ints{0, 2, 1})
      return none;
    const Node* const transpose = last->input(0)->producer();
    Value& flat = *transpose->input(0);
    const Shape& shape = flat.type.shape;
    Shape wanted = transposed.type.shape;
    std::swap(wanted[2], wanted[3]);
    if (!flat.has_type || shape.rank() != 3 || !(shape[1] == wanted[2]) ||
        !(shape[2] == wanted[3])) {
      return none;
    }
    for (const Node* node : {transpose, last}) match_.nodes.push_back(node);
    return made_.reshaped(flat, wanted);
  }

  bool sizes_fit() const {
    const int64_t s = rank_ - 2;
    const int64_t d = rank_ - 1;
    const bool fits =
        k_.rank() == rank_ && q_[0] == k_[0] && k_[0] == v_[0] && k_[s] == v_[s] && q_[d] == k_[d];
    if (!fits || rank_ == 3) return fits;
    return k_[1] == v_[1] && (q_[1] == k_[1] || k_[1] == Dim(1));
  }

  /// The dims of each mask are the scores' or 1; it has all keys, or may have, or one.
  bool masks_fit() {
    Shape scores = q_;
    scores[rank_ - 1] = k_[rank_ - 2];
    for (const MaskTerm& term : match_.masks) {
      if (term.scores.rank() > rank_) return false;
      if (term.kind == MaskTerm::Kind::kCausal) continue;
      const Shape& mask = term.value->type.shape;
      const int64_t lead = scores.rank() - mask.rank();
      if (!mask.ranked() || mask.rank() == 0 || lead < 0) return false;
      const Dim& keys = scores[scores.rank() - 1];
      if (!(mask[mask.rank() - 1] == keys)) {
        if (!dims_equal(mask[mask.rank() - 1], keys).value_or(true)) return false;
        widens_mask_ = true;
      }
      for (int64_t axis = 0; axis + 1 < mask.rank(); ++axis) {
        if (!(mask[axis] == Dim(1)) && !(mask[axis] == scores[lead + axis])) return false;
      }
    }
    return true;
  }

  /// The mask with all keys, however many it had; null when their number cannot be computed from
  /// the graph's inputs.
  Result<Value*> widened(Value& mask, const Value& key) {
    Value* const none = nullptr;
    const Node* join = made_by(&key, "Concat");
    const bool is_joined = join != nullptr && rank_ == 4 && join->attrs().i64("axis") == 2;
    std::vector<Dim> parts = {k_[rank_ - 2]};
    if (is_joined) {
      parts.clear();
      for (const Value* part : join->inputs()) parts.push_back(part->type.shape[2]);
    }
    Value* keys = nullptr;
    for (const Dim& part : parts) {
      NPU_LET(Value* const size, size_value(part));
      if (size == nullptr) return none;
      if (keys == nullptr) {
        keys = size;
      } else {
        NPU_LET(keys, made_.value("Add", ".keys", {keys, size}));
      }
    }
    const Ints ones(at_index(mask.type.shape.rank() - 1), 1);
    Attrs attrs;
    attrs.set("axis", int64_t{0});
    NPU_LET(Value* const target,
            made_.value("Concat", ".keys", {&made_.constant(".ones", Tensor::of_ints(ones)), keys},
                        std::move(attrs)));
    return made_.value("Expand", ".mask", {&mask, target});
  }

  /// A dim as int64[1]: a constant, or from the shape of an input of the graph; null when none has
  /// it.
  Result<Value*> size_value(const Dim& dim) {
    Value* const none = nullptr;
    if (const auto number = dim.known())
      return &made_.constant(".size", Tensor::of_ints({*number}));
    for (Value* input : at_.graph().inputs()) {
      if (!input->has_type || !input->type.shape.ranked()) continue;
      for (int64_t axis = 0; axis < input->type.shape.rank(); ++axis) {
        if (!(input->type.shape[axis] == dim)) continue;
        Attrs attrs;
        attrs.set("start", axis);
        attrs.set("end", axis + 1);
        return made_.value("Shape", ".size", {input}, std::move(attrs));
      }
    }
    return none;
  }

  /// All masks but causality as one value, joined in the order of the model; null when there is
  /// none.
  Result<Value*> make_mask() {
    Value* sum = nullptr;
    DType dtype = at_.output()->type.dtype;
    if (match_.wide_softmax) dtype = DType::kF32;
    const bool is_alone = std::count_if(match_.masks.begin(), match_.masks.end(), [](auto& term) {
                            return term.kind != MaskTerm::Kind::kCausal;
                          }) == 1;
    for (auto it = match_.masks.rbegin(); it != match_.masks.rend(); ++it) {
      const MaskTerm& term = *it;
      if (term.kind == MaskTerm::Kind::kCausal) {
        is_causal_ = true;
        continue;
      }
      // A fill stands in place of what was added to the scores before.
      const bool is_fill = term.kind == MaskTerm::Kind::kFill;
      NPU_LET(Value* const mask, mask_value(term, dtype, is_alone, is_fill ? sum : nullptr));
      if (sum == nullptr || is_fill) {
        sum = mask;
      } else {
        NPU_LET(sum, made_.value("Add", ".mask", {sum, mask}));
      }
    }
    // Scores of three axes have one head: [n, s, t] means [n, 1, s, t].
    if (sum != nullptr && rank_ == 3 && sum->type.shape.rank() == 3) {
      Value& axis = made_.constant(".axis", Tensor::of_ints({1}));
      NPU_LET(sum, made_.value("Unsqueeze", ".mask", {sum, &axis}));
    }
    return sum;
  }

  /// What to add for one mask. before: the sum of those before it, which stays where it keeps a
  /// key.
  Result<Value*> mask_value(const MaskTerm& term, DType dtype, bool is_alone, Value* before) {
    using Kind = MaskTerm::Kind;
    if (term.kind == Kind::kFloat || (term.kind == Kind::kKeep && is_alone)) return term.value;
    if (term.kind == Kind::kHide && is_alone) return made_.value("Not", ".mask", {term.value});
    const double low = -std::numeric_limits<double>::infinity();
    Value* kept = before != nullptr ? before : &made_.constant(".kept", Tensor::scalar(dtype, 0));
    Value* fill = &made_.constant(
        ".hidden", Tensor::scalar(dtype, term.kind == Kind::kFill ? term.fill : low));
    const bool hides = term.kind == Kind::kHide || (term.kind == Kind::kFill && term.hides);
    if (hides) std::swap(kept, fill);
    return made_.value("Where", ".mask", {term.value, kept, fill});
  }

  Result<Node*> attention(std::vector<Value*> inputs) {
    while (inputs.back() == nullptr) inputs.pop_back();
    Attrs attrs;
    attrs.set("scale", static_cast<double>(static_cast<float>(match_.scale)));
    attrs.set("is_causal", int64_t{is_causal_ ? 1 : 0});
    if (match_.wide_softmax) attrs.set("softmax_precision", int64_t{1});
    if (rank_ == 3) {
      attrs.set("q_num_heads", int64_t{1});
      attrs.set("kv_num_heads", int64_t{1});
    }
    return made_.node("Attention", is_unflattened_ ? ".attention" : "", std::move(inputs),
                      std::move(attrs));
  }

  AttentionMatch match_;
  Node& at_;
  Inserted made_;
  int64_t rank_ = 0;
  Shape q_, k_, v_;
  bool is_causal_ = false;
  bool is_unflattened_ = false;
  bool widens_mask_ = false;
};

}  // namespace

Result<int64_t> fuse_attention(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  for (Node* softmax : nodes_of(graph, {"Softmax"})) {
    std::optional<AttentionMatch> match = match_attention(*softmax);
    if (!match || &match->product->graph() != &graph) continue;
    NPU_LET(const bool fused, Builder(*std::move(match), graph).run());
    changes += fused ? 1 : 0;
  }
  if (changes != 0) NPU_TRY(eliminate_dead_code(graph, context));
  return changes;
}

}  // namespace npugraph::passes
