// SPDX-License-Identifier: Apache-2.0
// Moves Transposes through operators that do not care for the order of axes, where less is
// transposed then. A region of such operators between Transposes, as graphs that were made for
// another layout have them, is computed in the layout before the first of them: those around it
// cancel, constants are transposed now, and a Transpose is added where a value enters or leaves the
// region otherwise. Done only when that takes bytes away, whatever the symbols are, so that it
// ends. A Reshape is moved past operators of one input to another that undoes it.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/passes/layout_rule.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/permutation.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

constexpr int64_t kGuess = 16;  // for a symbol, where estimates are compared

Shape permuted(const Shape& shape, const Ints& perm) {
  std::vector<Dim> dims;
  for (const int64_t axis : perm) dims.push_back(shape[axis]);
  return Shape(std::move(dims));
}

double guess_of(const Dim& dim) {
  Dim::Bindings bindings;
  for (const std::string& symbol : dim.symbols()) bindings.emplace(symbol, kGuess);
  const Result<int64_t> number = dim.evaluate(bindings);
  return number ? static_cast<double>(*number) : 0;
}

/// The constant in the raw layout, its rank filled up with ones in front.
Result<Tensor> raw_constant(const Tensor& tensor, const Ints& perm) {
  Dims dims(perm.size() - tensor.dims().size(), 1);
  dims.insert(dims.end(), tensor.dims().begin(), tensor.dims().end());
  const Dims strides = strides_of(dims);
  Dims raw_dims, raw_strides;
  for (const int64_t axis : inverse(perm)) {
    raw_dims.push_back(dims[static_cast<size_t>(axis)]);
    raw_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  NPU_LET(Tensor out, Tensor::zeros(tensor.dtype(), raw_dims));
  copy_strided(tensor.view(), 0, raw_dims, raw_strides, out.mutable_view());
  return out;
}

using Order = std::unordered_map<const Node*, int64_t>;

/// Operators of one graph that would be computed on raw values: what they read or give now is
/// Transpose(raw, perm).
class Region {
 public:
  Region(Graph& graph, Ints perm) : graph_(graph), perm_(std::move(perm)), back_(inverse(perm_)) {}

  /// Everything that hangs together with `seed` by operators that follow a layout. `seen` keeps
  /// other seeds of this permutation from finding it again.
  void grow(Node& seed, const Order& order, std::unordered_set<const Node*>& seen) {
    std::vector<Node*> open;
    const auto visit = [&](Node* node) {
      if (node == nullptr || &node->graph() != &graph_ || !follows_layout(*node, perm_)) return;
      if (!seen.insert(node).second) return;
      inside_.insert(node);
      nodes_.push_back(node);
      open.push_back(node);
    };
    visit(&seed);
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      for (const int64_t input : layout_inputs(*node, perm_)) {
        const Value& value = *node->input(input);
        visit(value.producer());
      }
      for (const Value* output : node->outputs()) {
        if (!is_laid_out(*output)) continue;
        for (const Use& use : output->uses()) visit(use.node);
      }
    }
    std::sort(nodes_.begin(), nodes_.end(),
              [&](const Node* a, const Node* b) { return order.at(a) < order.at(b); });
  }

  /// Leaves out what does not pay: nodes at the rim, as long as that transposes no more.
  void trim() {
    int64_t budget = 64 * static_cast<int64_t>(nodes_.size()) + 4096;
    for (bool changed = true; changed && budget > 0;) {
      changed = false;
      for (size_t i = nodes_.size(); i-- > 0 && budget > 0;)
        changed |= trim_one(*nodes_[i], budget);
      for (size_t i = 0; i < nodes_.size() && budget > 0; ++i)
        changed |= trim_one(*nodes_[i], budget);
    }
    std::erase_if(nodes_, [&](Node* node) { return !inside_.contains(node); });
  }

  bool empty() const { return nodes_.empty(); }

  /// Fewer bytes are transposed, whatever the symbols are.
  bool pays() const {
    Dim saved = 0;
    std::unordered_set<const Value*> counted;
    for (const Node* node : nodes_) {
      for (const Value* value : touched(*node)) {
        if (!counted.insert(value).second) continue;
        const int64_t units = units_saved(*value);
        if (units != 0) saved = saved + value->type.shape.elements() * bits(*value) * Dim(units);
      }
    }
    return saved.is_nonnegative() && guess_of(saved) > 0;
  }

  Status apply() {
    for (Node* node : nodes_) {
      std::vector<std::string> origins;
      for (const int64_t input : layout_inputs(*node, perm_)) {
        Value& value = *node->input(input);
        if (is_inside(value.producer())) continue;
        if (transposes(value.producer())) add_origins(*value.producer(), origins);
        NPU_LET(Value* const raw, raw_value(value, *node));
        node->set_input(input, raw);
      }
      if (!origins.empty()) {
        add_origins(*node, origins);
        node->origins = each_once(std::move(origins));
      }
      NPU_TRY(rename_axes(*node, perm_));
      NPU_TRY(infer_node(*node));
      for (Value* output : node->outputs()) {
        // Outputs of another rank, of reductions, are what they were.
        if (output->type.shape.rank() == rank()) NPU_TRY(give_out(*node, *output));
      }
    }
    return ok();
  }

 private:
  int64_t rank() const { return static_cast<int64_t>(perm_.size()); }
  bool is_inside(const Node* node) const { return node != nullptr && inside_.contains(node); }
  bool is_laid_out(const Value& value) const {
    return value.has_type && value.type.shape.rank() == rank();
  }
  static Dim bits(const Value& value) { return Dim(dtype_bits(value.type.dtype)); }

  std::vector<const Value*> touched(const Node& node) const {
    std::vector<const Value*> out;
    for (const int64_t input : layout_inputs(node, perm_)) out.push_back(node.input(input));
    for (const Value* output : node.outputs()) out.push_back(output);
    std::unordered_set<const Value*> seen;
    std::erase_if(out, [&](const Value* value) { return !seen.insert(value).second; });
    return out;
  }

  /// The permutation of a Transpose of this graph, from or to a value of the region.
  std::optional<Ints> transposes(const Node* node) const {
    if (node == nullptr || !node->is("Transpose") || &node->graph() != &graph_) return std::nullopt;
    std::optional<Ints> perm = permutation_of(*node);
    return perm && perm->size() == perm_.size() && node->input(0)->has_type ? perm : std::nullopt;
  }

  static int64_t moved(const Shape& shape, const Ints& perm) {
    return keeps_order(shape, perm) ? 0 : 1;
  }

  /// How many times fewer all elements of `value` are transposed when the region is raw.
  int64_t units_saved(const Value& value) const {
    if (!is_laid_out(value) || value.constant() != nullptr) return 0;
    return is_inside(value.producer()) ? units_saved_after(value) : units_saved_before(value);
  }

  int64_t units_saved_after(const Value& value) const {
    const Shape raw = permuted(value.type.shape, back_);
    bool is_read_elsewhere = is_any_output(value);
    int64_t saved = 0;
    for (const Use& use : value.uses()) {
      if (is_inside(use.node)) continue;
      if (const std::optional<Ints> perm = transposes(use.node)) {
        saved += moved(value.type.shape, *perm) - moved(raw, compose(perm_, *perm));
      } else {
        is_read_elsewhere = true;
      }
    }
    return saved - (is_read_elsewhere ? moved(raw, perm_) : 0);
  }

  int64_t units_saved_before(const Value& value) const {
    bool is_read_inside = false, is_read_elsewhere = is_any_output(value);
    for (const Use& use : value.uses()) {
      (is_inside(use.node) ? is_read_inside : is_read_elsewhere) = true;
    }
    if (!is_read_inside) return 0;
    const std::optional<Ints> perm = transposes(value.producer());
    if (!perm) return -moved(value.type.shape, back_);
    const Shape& source = value.producer()->input(0)->type.shape;
    const int64_t now = moved(source, *perm);
    return (is_read_elsewhere ? 0 : now) - moved(source, compose(*perm, back_));
  }

  double saved_around(const std::vector<const Value*>& values) const {
    double saved = 0;
    for (const Value* value : values) {
      const int64_t units = units_saved(*value);
      if (units == 0) continue;
      saved += static_cast<double>(units) * guess_of(value->type.shape.elements() * bits(*value));
    }
    return saved;
  }

  bool trim_one(Node& node, int64_t& budget) {
    if (!inside_.contains(&node)) return false;
    const std::vector<const Value*> values = touched(node);
    budget -= static_cast<int64_t>(values.size());
    for (const Value* value : values) budget -= static_cast<int64_t>(value->uses().size()) / 8;
    const double with = saved_around(values);
    inside_.erase(&node);
    if (saved_around(values) >= with) return true;
    inside_.insert(&node);
    return false;
  }

  /// What `value`, from outside, is in the raw layout.
  Result<Value*> raw_value(Value& value, Node& reader) {
    const auto [entry, is_new] = raw_.try_emplace(&value, nullptr);
    if (!is_new) return entry->second;
    if (value.constant() != nullptr) {
      NPU_LET(Tensor tensor, raw_constant(*value.constant(), perm_));
      entry->second = &graph_.add_constant(text(value.name(), ".raw"), std::move(tensor));
      return entry->second;
    }
    const std::optional<Ints> perm = transposes(value.producer());
    Value* const source = perm ? value.producer()->input(0) : &value;
    const Ints way = perm ? compose(*perm, back_) : back_;
    if (npugraph::is_identity(way)) {
      entry->second = source;
      return source;
    }
    NPU_LET(Node* const turn, add_transpose(reader, text(value.name(), ".raw"), *source, way));
    raw_[&value] = turn->output();
    return turn->output();
  }

  static void add_origins(const Node& node, std::vector<std::string>& names) {
    for (std::string& name : origins_of(node)) names.push_back(std::move(name));
  }

  static Result<Node*> add_transpose(Node& before, std::string name, Value& in, const Ints& perm) {
    Attrs attrs;
    attrs.set("perm", perm);
    NPU_LET(Node* const turn,
            insert_node(before, "", "Transpose", std::move(name), {&in}, std::move(attrs)));
    if (in.producer() != nullptr) turn->origins = origins_of(*in.producer());
    return turn;
  }

  /// Readers outside: Transposes start from the raw value, the others get it turned back.
  Status give_out(Node& node, Value& output) {
    std::vector<Use> others;
    const std::vector<Use> uses(output.uses().begin(), output.uses().end());
    for (const Use& use : uses) {
      if (is_inside(use.node)) continue;
      const std::optional<Ints> perm = transposes(use.node);
      if (!perm) {
        others.push_back(use);
        continue;
      }
      NPU_TRY(use.node->set_attr("perm", compose(perm_, *perm)));
    }
    const std::vector<Graph*> output_of(output.output_of().begin(), output.output_of().end());
    if (others.empty() && output_of.empty()) return ok();
    NPU_LET(Node* const turn, add_transpose(node, text(output.name(), ".turned"), output, perm_));
    graph_.move_before(node, *turn);
    for (const Use& use : others) use.node->set_input(use.index, turn->output());
    if (output_of.empty()) return ok();
    for (Graph* graph : output_of) {
      const std::span<Value* const> outputs = graph->outputs();
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] == &output) graph->set_output(static_cast<int64_t>(i), *turn->output());
      }
    }
    const std::string name = output.name();
    graph_.rename(output, text(name, ".raw"));
    graph_.rename(*turn->output(), name);
    return ok();
  }

  Graph& graph_;
  Ints perm_, back_;
  std::vector<Node*> nodes_;                // in the graph's order
  std::unordered_set<const Node*> inside_;  // looked up only
  std::unordered_map<const Value*, Value*> raw_;
};

/// Regions around the Transposes, each permutation tried from each region once.
class Pusher {
 public:
  explicit Pusher(Graph& graph) : graph_(graph) {}

  Result<int64_t> run() {
    for (const Node* node : graph_.nodes()) {
      order_.emplace(node, static_cast<int64_t>(order_.size()));
    }
    for (Node* node : nodes_of(graph_, {"Transpose"})) {
      const std::optional<Ints> perm = permutation_of(*node);
      if (!perm || is_identity(*perm) || !node->output()->has_type) continue;
      const std::vector<Use> uses(node->output()->uses().begin(), node->output()->uses().end());
      for (const Use& use : uses) NPU_TRY(try_region(*use.node, *perm));
      if (Node* const producer = node->input(0)->producer()) {
        NPU_TRY(try_region(*producer, inverse(*perm)));
      }
    }
    return changes_;
  }

 private:
  Status try_region(Node& seed, const Ints& perm) {
    std::unordered_set<const Node*>& seen = seen_[perm];
    if (seen.contains(&seed) || &seed.graph() != &graph_) return ok();
    Region region(graph_, perm);
    region.grow(seed, order_, seen);
    region.trim();
    if (region.empty() || !region.pays()) return ok();
    NPU_TRY(region.apply());
    ++changes_;
    return ok();
  }

  Graph& graph_;
  Order order_;
  std::map<Ints, std::unordered_set<const Node*>> seen_;
  int64_t changes_ = 0;
};

/// The only data input of an operator that computes each element by itself; null for others.
Value* unary_input(const Node& node) {
  if (!node.schema().is_elementwise || node.outputs().size() != 1 || node.inputs().empty()) {
    return nullptr;
  }
  for (size_t i = 1; i < node.inputs().size(); ++i) {
    const Value* input = node.inputs()[i];
    if (input != nullptr && (!input->has_type || input->type.shape.rank() != 0)) return nullptr;
  }
  return node.input(0);
}

/// Reshape, operators of one input, and a Reshape back: both go.
Result<bool> cancel_reshapes(Node& last) {
  std::vector<Node*> between;
  Value* value = last.input(0);
  while (is_private(*value) && value->producer() != nullptr && !value->producer()->is("Reshape")) {
    Node* const node = value->producer();
    if (&node->graph() != &last.graph() || unary_input(*node) == nullptr) return false;
    between.push_back(node);
    value = unary_input(*node);
  }
  Node* const first = made_by(value, "Reshape");
  if (first == nullptr || between.empty() || !is_private(*value)) return false;
  Value* const source = first->input(0);
  if (!source->has_type || !last.output()->has_type ||
      !(source->type.shape == last.output()->type.shape)) {
    return false;
  }
  Value& result = *between.front()->output();
  if (!can_redirect(*last.output(), result)) return false;
  between.back()->set_input(0, source);
  for (size_t i = between.size(); i-- > 0;) NPU_TRY(infer_node(*between[i]));
  merge_origins(*between.back(), {first, between.back()});
  merge_origins(*between.front(), {between.front(), &last});
  redirect(last, result);
  return true;
}

}  // namespace

Result<int64_t> push_transpose(Graph& graph, const PassContext&) {
  NPU_LET(int64_t changes, Pusher(graph).run());
  for (Node* node : nodes_of(graph, {"Reshape"})) {
    if (!node->output()->is_used()) continue;
    NPU_LET(const bool cancelled, cancel_reshapes(*node));
    changes += cancelled ? 1 : 0;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
