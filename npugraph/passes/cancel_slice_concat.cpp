// SPDX-License-Identifier: Apache-2.0
// Pieces that Slice or Split took from one tensor, joined again in order, are that tensor; pieces
// of a Concat at its inputs' borders are those inputs. Concat in Concat becomes one, Slice of Slice
// too.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/piece.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

bool is_used(const Node& node) {
  return std::any_of(node.outputs().begin(), node.outputs().end(),
                     [](const Value* output) { return output->is_used(); });
}

// ---- pieces joined again

/// Remembers where the outputs of a Split begin: adding them up for each would take time that grows
/// with the square of their number.
class Pieces {
 public:
  const std::optional<Piece>& of(const Value& value) {
    const auto hit = known_.find(&value);
    if (hit != known_.end()) return hit->second;
    const Node* node = value.producer();
    if (node != nullptr && node->is("Split")) {
      add_split(*node);
    } else {
      known_[&value] = piece_of(value);
    }
    return known_[&value];
  }
  void clear() { known_.clear(); }

 private:
  void add_split(const Node& split) {
    const std::optional<int64_t> axis = axis_of(split);
    Dim first = 0;
    for (const Value* output : split.outputs()) {
      known_[output] = std::nullopt;
      if (!axis || !output->has_type) return;
      const Dim last = first + output->type.shape[*axis];
      known_[output] = Piece{split.input(0), *axis, first, last};
      first = last;
    }
  }
  std::unordered_map<const Value*, std::optional<Piece>> known_;
};

/// How many inputs from `begin` on are all of one tensor, in order; 0 when they are not.
size_t whole_run(Pieces& pieces, std::span<Value* const> inputs, size_t begin, int64_t axis) {
  const std::optional<Piece> head = pieces.of(*inputs[begin]);
  if (!head || head->axis != axis || head->first != Dim(0)) return 0;
  Dim end = head->last;
  size_t count = 1;
  for (size_t i = begin + 1; i < inputs.size(); ++i, ++count) {
    const std::optional<Piece>& next = pieces.of(*inputs[i]);
    if (!next || next->source != head->source || next->axis != axis || next->first != end) break;
    end = next->last;
  }
  return count > 1 && end == head->source->type.shape[axis] ? count : 0;
}

Result<bool> replace_inputs(Node& concat, std::vector<Value*> inputs) {
  if (inputs.size() == 1 && same_type(*inputs[0], *concat.output()) &&
      can_redirect(*concat.output(), *inputs[0])) {
    redirect(concat, *inputs[0]);
    return true;
  }
  const Result<Node*> made =
      insert_node(concat, "", "Concat", concat.name(), std::move(inputs), concat.attrs());
  if (!made) return false;
  Node* const shorter = *made;
  shorter->origins = origins_of(concat);
  replace_node(concat, *shorter);
  return true;
}

Result<bool> join_pieces(Pieces& pieces, Node& concat) {
  const std::optional<int64_t> axis = axis_of(concat);
  if (!axis) return false;
  std::vector<Value*> inputs;
  for (size_t i = 0; i < concat.inputs().size();) {
    const size_t run = whole_run(pieces, concat.inputs(), i, *axis);
    inputs.push_back(run > 0 ? pieces.of(*concat.inputs()[i])->source : concat.inputs()[i]);
    i += std::max<size_t>(run, 1);
  }
  if (inputs.size() == concat.inputs().size()) return false;
  return replace_inputs(concat, std::move(inputs));
}

// ---- Concat in Concat

/// The Concat that `input` of `concat` comes from, when it is private and along the same axis.
Node* inner_concat(const Node& concat, Value* input, int64_t axis) {
  Node* const inner = made_by(input, "Concat");
  const bool fits = inner != nullptr && is_private(*input) && &inner->graph() == &concat.graph() &&
                    axis_of(*inner) == axis;
  return fits ? inner : nullptr;
}

/// Inputs of a Concat with those of the Concats in it in their places, and these, outer ones first.
struct Flat {
  std::vector<Value*> inputs;
  std::vector<Node*> inner;
};
Flat flat_form(const Node& concat, int64_t axis) {
  Flat flat;
  std::vector<std::pair<const Node*, size_t>> open = {{&concat, 0}};
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next == node->inputs().size()) {
      open.pop_back();
      continue;
    }
    Value* const input = node->inputs()[next++];
    if (Node* const inner = inner_concat(concat, input, axis)) {
      flat.inner.push_back(inner);
      open.emplace_back(inner, 0);
    } else {
      flat.inputs.push_back(input);
    }
  }
  return flat;
}

Result<bool> flatten(Node& concat, std::unordered_set<const Node*>& gone) {
  const std::optional<int64_t> axis = axis_of(concat);
  if (!axis) return false;
  Flat flat = flat_form(concat, *axis);
  if (flat.inner.empty()) return false;
  std::vector<std::string> origins = origins_of(concat);
  for (const Node* node : flat.inner) {
    for (std::string& origin : origins_of(*node)) origins.push_back(std::move(origin));
  }
  const Result<Node*> made =
      insert_node(concat, "", "Concat", concat.name(), std::move(flat.inputs), concat.attrs());
  if (!made) return false;
  Node* const by = *made;
  by->origins = each_once(std::move(origins));
  replace_node(concat, *by);
  for (Node* node : flat.inner) {
    gone.insert(node);
    node->graph().erase(*node);
  }
  return true;
}

// ---- pieces of a Concat

/// Where the inputs of Concats begin and end, found once for each.
class Borders {
 public:
  const std::vector<Dim>& of(const Node& concat) {
    const auto [entry, is_new] = known_.try_emplace(&concat);
    if (is_new) entry->second = borders_of(concat);
    return entry->second;
  }
  /// The input that [first, last) is; null when it is not one.
  Value* input_at(const Node& concat, const Dim& first, const Dim& last) {
    const std::vector<Dim>& borders = of(concat);
    auto [entry, is_new] = starts_.try_emplace(&concat);
    if (is_new) {
      for (size_t i = 0; i + 1 < borders.size(); ++i) {
        // Of inputs that begin at the same place all but the last are empty.
        if (borders[i] != borders[i + 1]) entry->second.emplace(borders[i], i);
      }
    }
    const auto hit = entry->second.find(first);
    if (hit == entry->second.end() || borders[hit->second + 1] != last) return nullptr;
    return concat.inputs()[hit->second];
  }

 private:
  std::unordered_map<const Node*, std::vector<Dim>> known_;
  std::unordered_map<const Node*, std::map<Dim, size_t>> starts_;
};

const Node* joined(const std::optional<Piece>& piece) {
  const Node* concat = piece ? made_by(piece->source, "Concat") : nullptr;
  return concat != nullptr && axis_of(*concat) == piece->axis ? concat : nullptr;
}

int64_t split_to_inputs(Pieces& pieces, Borders& borders, Node& split) {
  int64_t changes = 0;
  for (Value* output : split.outputs()) {
    const std::optional<Piece> piece = pieces.of(*output);
    const Node* concat = joined(piece);
    if (concat == nullptr || output->uses().empty() || is_any_output(*output)) continue;
    Value* const input = borders.input_at(*concat, piece->first, piece->last);
    if (input == nullptr || !same_type(*input, *output)) continue;
    split.graph().replace_uses(*output, *input);
    ++changes;
  }
  return changes;
}

/// The only input in which [first, last) lies, when all are numbers, and where that one begins.
std::optional<size_t> input_around(const std::vector<Dim>& borders, const Piece& piece) {
  for (const Dim& border : borders) {
    if (!border.is_static()) return std::nullopt;
  }
  if (!piece.first.is_static() || !piece.last.is_static()) return std::nullopt;
  const auto after =
      std::upper_bound(borders.begin(), borders.end(), piece.first.value(),
                       [](int64_t place, const Dim& border) { return place < border.value(); });
  if (after == borders.begin() || after == borders.end()) return std::nullopt;
  if (piece.last.value() > after->value()) return std::nullopt;
  return static_cast<size_t>(after - borders.begin()) - 1;
}

/// A Slice of `source` in place of `slice`, when its type is the same.
Result<bool> replace_slice(Node& slice, Value& source, const std::vector<AxisRange>& ranges) {
  std::vector<int64_t> starts, ends, axes, steps;
  for (const AxisRange& range : ranges) {
    starts.push_back(range.start.value());
    ends.push_back(range.end.value());
    axes.push_back(range.axis);
    steps.push_back(range.step);
  }
  Graph& graph = slice.graph();
  std::vector<Value*> inputs = {&source};
  for (const auto& [word, list] : {std::pair{".starts", &starts}, std::pair{".ends", &ends},
                                   std::pair{".axes", &axes}, std::pair{".steps", &steps}}) {
    inputs.push_back(&graph.add_constant(text(slice.name(), word), Tensor::of_ints(*list)));
  }
  const Result<Node*> made =
      insert_node(slice, "", "Slice", slice.name(), std::move(inputs), slice.attrs());
  if (!made) return false;
  Node* const by = *made;
  if (!same_type(*by->output(), *slice.output())) {
    graph.erase(*by);
    graph.erase_unused_constants();
    return false;
  }
  merge_origins(*by, {slice.input(0)->producer(), &slice});
  replace_node(slice, *by);
  return true;
}

Result<bool> slice_of_concat(Borders& borders, Node& slice) {
  const std::optional<Piece> piece = piece_of(*slice.output());
  const Node* concat = joined(piece);
  if (concat == nullptr) return false;
  Value* const input = borders.input_at(*concat, piece->first, piece->last);
  if (input != nullptr) {
    if (!same_type(*input, *slice.output()) || !can_redirect(*slice.output(), *input)) return false;
    redirect(slice, *input);
    return true;
  }
  const std::vector<Dim>& ends = borders.of(*concat);
  const std::optional<size_t> around = input_around(ends, *piece);
  if (!around) return false;
  const AxisRange range = {piece->axis, piece->first - ends[*around], piece->last - ends[*around],
                           1};
  return replace_slice(slice, *concat->inputs()[*around], {range});
}

// ---- Slice of Slice

/// x[a][b] as one range along one axis; nothing when that depends on how long the axis is.
std::optional<AxisRange> compose(const AxisRange& a, const AxisRange& b) {
  const bool is_plain = a.step == 1 && b.step == 1 && a.start.is_nonnegative() &&
                        a.end.is_nonnegative() && b.start.is_nonnegative() &&
                        b.end.is_nonnegative();
  if (!is_plain || a.start.value() >= kFar || b.start.value() >= kFar) return std::nullopt;
  const Dim end = b.end.value() >= kFar ? a.end : Dim::min(a.end, a.start + b.end);
  return AxisRange{a.axis, a.start + b.start, end, 1};
}

Result<bool> slice_of_slice(Node& slice) {
  Node* const inner = made_by(slice.input(0), "Slice");
  if (inner == nullptr || !is_private(*slice.input(0)) || &inner->graph() != &slice.graph()) {
    return false;
  }
  const auto first = ranges_of(*inner), second = ranges_of(slice);
  if (!first || !second) return false;
  std::map<int64_t, AxisRange> ranges;
  for (const auto* list : {&*first, &*second}) {
    for (const AxisRange& range : *list) {
      if (!range.start.is_static() || !range.end.is_static()) return false;
      const auto [entry, is_new] = ranges.emplace(range.axis, range);
      if (is_new) continue;
      const std::optional<AxisRange> both = compose(entry->second, range);
      if (!both) return false;
      entry->second = *both;
    }
  }
  std::vector<AxisRange> list;
  for (const auto& [axis, range] : ranges) list.push_back(range);
  return replace_slice(slice, *inner->input(0), list);
}

}  // namespace

Result<int64_t> cancel_slice_concat(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  // The outer ones first, so that a chain of any length is walked once.
  std::vector<Node*> concats = nodes_of(graph, {"Concat"});
  std::reverse(concats.begin(), concats.end());
  std::unordered_set<const Node*> gone;
  for (Node* concat : concats) {
    if (gone.contains(concat)) continue;
    NPU_LET(const bool flat, flatten(*concat, gone));
    changes += flat ? 1 : 0;
  }
  Pieces pieces;
  for (Node* concat : nodes_of(graph, {"Concat"})) {
    if (!is_used(*concat)) continue;
    NPU_LET(const bool joined_again, join_pieces(pieces, *concat));
    changes += joined_again ? 1 : 0;
  }
  pieces.clear();
  Borders borders;
  for (Node* node : nodes_of(graph, {"Split", "Slice"})) {
    if (!is_used(*node)) continue;
    if (node->is("Split")) {
      changes += split_to_inputs(pieces, borders, *node);
      continue;
    }
    NPU_LET(bool changed, slice_of_concat(borders, *node));
    if (!changed) {
      NPU_LET(changed, slice_of_slice(*node));
    }
    changes += changed ? 1 : 0;
  }
  return changes;
}

}  // namespace npugraph::passes
