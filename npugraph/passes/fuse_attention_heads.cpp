// SPDX-License-Identifier: Apache-2.0
// Attention on [b, h, s, d] takes what is around it: heads split from the last axis before and
// merged after (then it reads and writes [b, s, h * d]), a scale on Q or K before that, keys and
// values that are repeated for each query head of a group, and past ones put before the new ones.
#include <algorithm>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/passes/attention_match.h"
#include "npugraph/passes/inserted.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/permutation.h"
#include "npugraph/passes/reshape_to.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// One of n parts, of the same size, that [b, s, n, h, d] holds.
struct Part {
  Value* all = nullptr;
  int64_t index = 0;
};

/// Q, K or V as [b, h, s, d], and as [b, s, h, d] where it is the Transpose of that, or of a part.
struct Operand {
  Value* heads = nullptr;
  Value* split = nullptr;
  Part part = {};
  const Shape& shape() const { return heads->type.shape; }
  bool can_merge() const { return split != nullptr || part.all != nullptr; }
};

/// The element that `value` picks from axis 0 of what has one axis more; nothing when none.
struct Picked {
  const Value* from = nullptr;
  int64_t index = 0;
};
std::optional<Picked> picked(const Value& value) {
  const Node* node = value.producer();
  if (node == nullptr) return std::nullopt;
  if (node->is("Gather")) {
    const std::optional<double> index = scalar_of(node->input(1));
    const Shape& shape = node->input(0)->type.shape;
    if (!index || node->attrs().i64("axis") != 0 || shape.rank() != 5 ||
        value.type.shape.rank() != 4)
      return std::nullopt;
    return Picked{node->input(0), static_cast<int64_t>(*index)};
  }
  if (!(node->is("Reshape") || node->is("Squeeze")) || !node->input(0)->has_type)
    return std::nullopt;
  const Value& one = *node->input(0);
  const Shape& shape = one.type.shape;
  const Shape& y = value.type.shape;
  if (shape.rank() != 5 || !(shape == Shape({Dim(1), y[0], y[1], y[2], y[3]}))) return std::nullopt;
  node = one.producer();
  if (node != nullptr && node->is("Split") && node->attrs().i64("axis") == 0) {
    for (const Value* part : node->outputs()) {
      if (!(part->type.shape == shape)) return std::nullopt;
    }
    return Picked{node->input(0), one.output_index()};
  }
  if (node == nullptr || !node->is("Slice")) return std::nullopt;
  const auto starts = known_ints(node->input(1));
  const auto axes = known_ints(node->input(3));
  if (!starts || starts->size() != 1 || !axes || (*axes)[0] != 0 || (*starts)[0] < 0)
    return std::nullopt;
  return Picked{node->input(0), (*starts)[0]};
}

Operand operand_of(Value& value) {
  Operand operand = {.heads = &value};
  if (permutation_of(&value) == kSwapHeads) {
    operand.split = value.producer()->input(0);
  } else if (const auto found = picked(value)) {
    // [b, s, n, h, d] as [n, b, h, s, d].
    if (permutation_of(found->from) == Ints{2, 0, 3, 1, 4} && found->index >= 0) {
      operand.part = {found->from->producer()->input(0), found->index};
    }
  }
  return operand;
}

/// [b, h, 1, s, d] that Expand and Reshape make [b, h * n, s, d]; null when there is none.
Value* before_repeat(const Value& value) {
  const Node* merge = made_by(&value, "Reshape");
  const Node* expand = merge != nullptr ? made_by(merge->input(0), "Expand") : nullptr;
  if (expand == nullptr) return nullptr;
  Value* const from = expand->input(0);
  const Shape& grouped = from->type.shape;
  const Shape& wide = expand->output()->type.shape;
  if (grouped.rank() != 5 || wide.rank() != 5 || !(grouped[2] == Dim(1))) return nullptr;
  const Shape wanted = {grouped[0], grouped[1] * wide[2], grouped[3], grouped[4]};
  const bool fits = value.type.shape == wanted && wide[2].is_static() && grouped[0] == wide[0] &&
                    grouped[1] == wide[1] && grouped[3] == wide[3] && grouped[4] == wide[4];
  return fits ? from : nullptr;
}

/// Concat of past and new keys along the tokens; null when it is something else.
Node* joining_concat(const Value& value) {
  Node* const node = made_by(&value, "Concat");
  if (node == nullptr || node->inputs().size() != 2) return nullptr;
  const int64_t axis = node->attrs().i64("axis");
  const bool is_typed = node->input(0)->has_type && node->input(1)->has_type;
  return is_typed && (axis == 2 || axis == -2) ? node : nullptr;
}

/// Whether one of the nodes is needed to make one of the values.
bool depends_on(std::vector<Value*> values, const std::vector<const Node*>& nodes) {
  std::unordered_set<const Node*> seen;
  while (!values.empty()) {
    const Value* value = values.back();
    values.pop_back();
    const Node* node = value != nullptr ? value->producer() : nullptr;
    if (node == nullptr || !seen.insert(node).second) continue;
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return true;
    const std::vector<Value*> read = values_read(*node);
    values.insert(values.end(), read.begin(), read.end());
  }
  return false;
}

class Builder {
 public:
  Builder(Node& node, Graph& graph) : at_(node), graph_(graph), made_(node, graph) {}

  Result<bool> run() { return made_.outcome(rewrite()); }

 private:
  Result<bool> rewrite() {
    for (const int64_t input : {0, 1, 2}) {
      if (!at_.input(input)->has_type || at_.input(input)->type.shape.rank() != 4) return false;
    }
    if (at_.outputs().size() != 1 || at_.inputs().size() > 4) return false;
    q_ = operand_of(*at_.input(0));
    k_ = operand_of(*at_.input(1));
    v_ = operand_of(*at_.input(2));
    parts_ = {&at_};
    NPU_LET(const bool had_repeats, drop_repeats());
    const bool has_past = take_past();
    Node* const merge = merging_transpose();
    if (merge != nullptr && q_.can_merge() && k_.can_merge() && v_.can_merge()) {
      NPU_LET(const bool is_done, build_merged(*merge));
      if (is_done) return true;
    }
    return had_repeats || has_past ? build_split() : Result<bool>(false);
  }

  Result<bool> drop_repeats() {
    Value* const key = before_repeat(*k_.heads);
    Value* const value = before_repeat(*v_.heads);
    if (key == nullptr || value == nullptr) return false;
    if (!(key->type.shape[1] == value->type.shape[1])) return false;
    const auto ungrouped = [&](const Value* grouped) {
      const Shape& shape = grouped->type.shape;
      return Shape({shape[0], shape[1], shape[3], shape[4]});
    };
    NPU_LET(Value* const k, made_.reshaped(*key, ungrouped(key)));
    NPU_LET(Value* const v, made_.reshaped(*value, ungrouped(value)));
    if (k == nullptr || v == nullptr) return false;
    k_ = operand_of(*k);
    v_ = operand_of(*v);
    return true;
  }

  /// Past keys become inputs, all keys outputs. Not with causality, which would count from the
  /// first of all keys here, and from the first new one there.
  bool take_past() {
    Node* const key = joining_concat(*k_.heads);
    Node* const value = joining_concat(*v_.heads);
    if (key == nullptr || value == nullptr || key == value || at_.attrs().flag("is_causal") ||
        at_.attrs().i64("left_window_size") >= 0 || at_.attrs().i64("right_window_size") >= 0 ||
        &key->graph() != &graph_ || &value->graph() != &graph_ ||
        !(key->input(0)->type.shape[2] == value->input(0)->type.shape[2])) {
      return false;
    }
    const std::vector<Value*> needed = {at_.input(0),  at_.input(3),    key->input(0),
                                        key->input(1), value->input(0), value->input(1)};
    if (depends_on(needed, {key, value})) return false;
    joins_ = {key, value};
    k_ = operand_of(*key->input(1));
    v_ = operand_of(*value->input(1));
    for (const Node* node : joins_) parts_.push_back(node);
    return true;
  }

  /// The Transpose that alone reads the output and makes it [b, s, h, d].
  Node* merging_transpose() const {
    Node* const reader = sole_user(*at_.output());
    if (reader == nullptr || permutation_of(reader->output()) != kSwapHeads) return nullptr;
    return reader;
  }

  /// [b, s, h * d] of [b, s, h, d]; null when it cannot be written. A scale is taken off.
  Result<Value*> merged(const Operand& operand, bool takes_scale) {
    const Shape& shape = operand.shape();
    if (operand.part.all != nullptr) return merged_part(operand.part);
    NPU_LET(Value * value,
            made_.reshaped(*operand.split, Shape({shape[0], shape[2], shape[1] * shape[3]})));
    while (value != nullptr && takes_scale && at_.attrs().has("scale")) {
      const Scaled scaled = unscaled(*value);
      if (scaled.node == nullptr || !is_private(*value) || !(scaled.factor > 0)) break;
      factor_ *= scaled.factor;
      scales_.push_back(scaled.node);
      value = scaled.value;
    }
    return value;
  }

  /// [b, s, h * d] of one part, by a Split that all operands share.
  Result<Value*> merged_part(const Part& part) {
    Value* const none = nullptr;
    const Shape& all = part.all->type.shape;
    const auto count = all[2].known();
    if (!part.all->has_type || !count || part.index >= *count || *count < 2) return none;
    if (parts_of_ != part.all) {
      NPU_LET(Value* const flat,
              made_.reshaped(*part.all, {all[0], all[1], all[2] * all[3] * all[4]}));
      if (flat == nullptr) return none;
      Attrs attrs;
      attrs.set("axis", int64_t{2});
      attrs.set("num_outputs", *count);
      std::vector<std::string> names;
      for (int64_t i = 0; i < *count; ++i) names.push_back(text(at_.name(), ".part", i));
      NPU_LET(part_split_,
              made_.node("Split", ".parts", {flat}, std::move(attrs), std::move(names)));
      parts_of_ = part.all;
    }
    Value* const value = part_split_->output(part.index);
    return value->type.shape == Shape({all[0], all[1], all[3] * all[4]}) ? value : none;
  }

  Result<bool> build_merged(Node& merge) {
    const auto q_heads = q_.shape()[1].known();
    const auto k_heads = k_.shape()[1].known();
    if (!q_heads || !k_heads || *q_heads < 1 || *k_heads < 1) return false;
    NPU_LET(Value* const q, merged(q_, true));
    NPU_LET(Value* const k, merged(k_, true));
    NPU_LET(Value* const v, merged(v_, false));
    if (q == nullptr || k == nullptr || v == nullptr) return false;
    Attrs attrs = at_.attrs();
    attrs.set("q_num_heads", *q_heads);
    attrs.set("kv_num_heads", *k_heads);
    if (factor_ != 1) {
      const double scale = at_.attrs().f64("scale") * factor_;
      attrs.set("scale", static_cast<double>(static_cast<float>(scale)));
    }
    NPU_LET(Node* const node, attention({q, k, v}, std::move(attrs)));
    NPU_LET(Node* const back, insert_reshape(merge, *node->output()));
    if (back == nullptr) return false;
    for (const Operand& operand : {q_, k_, v_}) {
      if (is_private(*operand.heads)) parts_.push_back(operand.heads->producer());
    }
    parts_.insert(parts_.end(), scales_.begin(), scales_.end());
    parts_.push_back(&merge);
    made_.keep();
    take_origins(*node, parts_);
    replace_node(merge, *back);
    NPU_TRY(take_presents(*node));
    const std::string name = at_.name();
    graph_.erase(at_);
    graph_.rename(*node, name);
    return true;
  }

  Result<bool> build_split() {
    Attrs attrs = at_.attrs();
    attrs.erase("q_num_heads");
    attrs.erase("kv_num_heads");
    NPU_LET(Node* const node, attention({q_.heads, k_.heads, v_.heads}, std::move(attrs)));
    if (!same_type(*node->output(), *at_.output()) ||
        !can_redirect(*at_.output(), *node->output())) {
      return false;
    }
    made_.keep();
    take_origins(*node, parts_);
    const std::string name = at_.name();
    const std::string output = at_.output()->name();
    graph_.replace_uses(*at_.output(), *node->output());
    NPU_TRY(take_presents(*node));
    graph_.erase(at_);
    graph_.rename(*node, name);
    graph_.rename(*node->output(), output);
    return true;
  }

  Result<Node*> attention(std::vector<Value*> inputs, Attrs attrs) {
    inputs.push_back(at_.input(3));
    const std::string name = text(at_.name(), ".merged");
    std::vector<std::string> outputs = {name};
    if (!joins_.empty()) {
      for (Node* const join : joins_) {
        inputs.push_back(join->input(0));
        outputs.push_back(text(name, ".", join->output()->name()));
      }
    }
    while (inputs.back() == nullptr) inputs.pop_back();
    return made_.node("Attention", ".merged", std::move(inputs), std::move(attrs),
                      std::move(outputs));
  }

  /// The joined keys and values are read from the node, under their names.
  Status take_presents(Node& node) {
    for (size_t i = 0; i < joins_.size(); ++i) {
      Value& old = *joins_[i]->output();
      Value& present = *node.output(static_cast<int64_t>(i) + 1);
      const std::string name = old.name();
      // The node that is replaced reads them too, for the last time.
      graph_.replace_uses(old, present);
      graph_.erase(*joins_[i]);
      graph_.rename(present, name);
    }
    return joins_.empty() ? ok() : graph_.sort();
  }

  Node& at_;
  Graph& graph_;
  Inserted made_;
  Operand q_, k_, v_;
  std::vector<Node*> joins_;
  std::vector<const Node*> parts_, scales_;
  double factor_ = 1;
  const Value* parts_of_ = nullptr;  // what part_split_ splits
  Node* part_split_ = nullptr;
};

}  // namespace

Result<int64_t> fuse_attention_heads(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  for (Node* node : nodes_of(graph, {"Attention"})) {
    NPU_LET(const bool changed, Builder(*node, graph).run());
    changes += changed ? 1 : 0;
  }
  if (changes != 0) NPU_TRY(eliminate_dead_code(graph, context));
  return changes;
}

}  // namespace npugraph::passes
