// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/ir/graph.h"
#include "npugraph/ir/infer_control.h"

namespace npugraph {
namespace {

Error invalid(std::string what, std::string found = {}, std::string expected = {}) {
  return fail(ErrorId::kGraphInvalid, std::move(what), std::move(found), std::move(expected));
}

/// Equal as far as both are known.
bool agree(const TensorType& a, const TensorType& b) {
  if (a.dtype != b.dtype) return false;
  if (!a.shape.ranked() || !b.shape.ranked()) return true;
  if (a.shape.rank() != b.shape.rank()) return false;
  for (int64_t axis = 0; axis < a.shape.rank(); ++axis) {
    const auto x = a.shape[axis].known(), y = b.shape[axis].known();
    if (x && y && *x != *y) return false;
  }
  return true;
}

class Verifier {
 public:
  explicit Verifier(const Graph& top) { collect(top); }

  Status graph(const Graph& graph) {
    for (const Value* input : graph.inputs()) {
      NPU_TRY(value(*input, graph));
      if (!input->is_graph_input())
        return invalid(text("input '", input->name(), "' is made by a node or constant"));
    }
    for (const Value* item : graph.values()) {
      NPU_TRY(value(*item, graph));
      NPU_TRY(uses(*item));
      if (item->producer() == nullptr) made_.insert(item);
      if (item->is_graph_input() &&
          std::find(graph.inputs().begin(), graph.inputs().end(), item) == graph.inputs().end())
        return invalid(text("value '", item->name(), "' is made by nothing"));
    }
    for (const Node* item : graph.nodes())
      NPU_TRY_AT(text("node '", item->name(), "'"), node(*item));
    for (size_t i = 0; i < graph.outputs().size(); ++i)
      NPU_TRY_AT(text("graph '", graph.name(), "': output ", i), read(graph.outputs()[i], graph));
    return ok();
  }

 private:
  void collect(const Graph& graph) {
    graphs_.insert(&graph);
    for (const Value* output : graph.outputs()) ++listed_[output];
    for (const Node* item : graph.nodes()) {
      nodes_.insert(item);
      for (const Value* input : item->inputs())
        if (input != nullptr) ++reads_[input];
      for (const auto& [name, nested] : item->subgraphs()) collect(*nested);
    }
  }

  Status value(const Value& item, const Graph& graph) const {
    if (&item.graph() != &graph)
      return invalid(text("value '", item.name(), "' belongs to another graph"),
                     item.graph().name(), graph.name());
    if (graph.find_value(item.name()) != &item)
      return invalid("two values have one name", text("'", item.name(), "'"), "unique names");
    if (item.constant() != nullptr && item.has_type && !(item.type == item.constant()->type()))
      return invalid(text("constant '", item.name(), "' has another type than its data"),
                     item.type.str(), item.constant()->type().str());
    if (!item.content) return ok();
    const auto dims = item.has_type ? item.type.shape.known() : std::nullopt;
    const auto count = static_cast<int64_t>(item.content->size());
    if (!dims || Shape(*dims).elements().value() != count || count > kMaxContent)
      return invalid(text("the known content of '", item.name(), "' does not fit its type"),
                     text(count, " elements"), item.has_type ? item.type.str() : "a type");
    return ok();
  }

  Status uses(const Value& item) const {
    std::unordered_map<const Node*, std::unordered_set<int64_t>> seen;
    for (const Use& use : item.uses()) {
      if (!nodes_.contains(use.node))
        return invalid(text("the use list of '", item.name(), "' names a node outside the graph"));
      if (use.node->input(use.index) != &item || !seen[use.node].insert(use.index).second)
        return invalid(text("the use list of '", item.name(), "' is wrong"),
                       text("node '", use.node->name(), "', input ", use.index));
    }
    const auto reads = reads_.find(&item);
    const int64_t expected = reads == reads_.end() ? 0 : reads->second;
    if (expected != static_cast<int64_t>(item.uses().size()))
      return invalid(text("the use list of '", item.name(), "' is not complete"),
                     text(item.uses().size()), text(expected));
    const auto listed = listed_.find(&item);
    if (static_cast<int64_t>(item.output_of().size()) !=
        (listed == listed_.end() ? 0 : listed->second))
      return invalid(text("the graphs that give '", item.name(), "' as an output are not known"));
    for (const Graph* user : item.output_of())
      if (!graphs_.contains(user))
        return invalid(text("'", item.name(), "' is an output of a graph elsewhere"));
    return ok();
  }

  /// A value that is read in `graph`: made before, here or in a graph around.
  Status read(const Value* item, const Graph& graph) const {
    if (item == nullptr) return invalid("a value is missing");
    const Graph* around = &graph;
    while (around != nullptr && around != &item->graph()) around = around->parent();
    if (around == nullptr)
      return invalid(text("'", item->name(), "' lies in a graph that cannot be seen from here"),
                     item->graph().name(), "this graph or one around it");
    // Verifying a nested graph alone: what lies outside it is taken as made.
    const bool is_ours = graphs_.contains(&item->graph());
    if (is_ours && !made_.contains(item))
      return invalid(text("'", item->name(), "' is read before it is made"), "",
                     "producers before readers");
    return ok();
  }

  Status node(const Node& item) {
    const auto& known = item.graph();
    if (known.find_node(item.name()) != &item)
      return invalid("two nodes have one name", text("'", item.name(), "'"), "unique names");
    for (size_t i = 0; i < item.inputs().size(); ++i)
      if (item.inputs()[i] != nullptr) NPU_TRY_AT(text("input ", i), read(item.inputs()[i], known));
    for (size_t i = 0; i < item.outputs().size(); ++i) {
      const Value& output = *item.outputs()[i];
      NPU_TRY(value(output, known));
      if (output.producer() != &item || output.output_index() != static_cast<int64_t>(i))
        return invalid(text("output '", output.name(), "' names another producer"));
    }
    NPU_TRY(attributes(item));
    NPU_TRY(nested_graphs(item));
    NPU_TRY(types(item));
    for (const Value* output : item.outputs()) made_.insert(output);
    return ok();
  }

  static Status attributes(const Node& item) {
    Attrs attrs = item.attrs();
    NPU_TRY(complete_attrs(item.schema(), attrs));
    if (std::distance(attrs.begin(), attrs.end()) !=
        std::distance(item.attrs().begin(), item.attrs().end()))
      return invalid("attributes are not complete");
    return ok();
  }

  Status nested_graphs(const Node& item) {
    const auto& wanted = item.schema().subgraphs;
    for (const std::string_view name : wanted)
      if (item.subgraph(name) == nullptr)
        return invalid(text(item.op(), " lacks a nested graph"), "", text("'", name, "'"));
    for (const auto& [name, nested] : item.subgraphs()) {
      if (std::find(wanted.begin(), wanted.end(), name) == wanted.end())
        return invalid(text(item.op(), " has no such nested graph"), text("'", name, "'"),
                       wanted.empty() ? "none" : join(wanted));
      if (nested->owner() != &item)
        return invalid(text("nested graph '", name, "' names another owner"));
      NPU_TRY_AT(name, interface(item, *nested));
      const int64_t dead = is_dead(item, name) ? 1 : 0;
      dead_depth_ += dead;
      NPU_TRY_AT(name, graph(*nested));
      dead_depth_ -= dead;
    }
    return ok();
  }

  /// A branch that an If with a known condition never takes; inference lets its types be wrong.
  static bool is_dead(const Node& item, std::string_view branch) {
    if (!item.is("If") || item.input(0) == nullptr) return false;
    const Value& condition = *item.input(0);
    const InferInput known{.type = &condition.type,
                           .content = condition.content ? &*condition.content : nullptr,
                           .constant = condition.constant()};
    const auto ints = known.ints();
    if (!ints || ints->size() != 1 || !ints->front().known()) return false;
    return (*ints->front().known() != 0) != (branch == "then_branch");
  }

  /// How many values go in and out of the nested graph of an If or a Loop, and their dtypes.
  static Status interface(const Node& item, const Graph& nested) {
    const bool is_loop = item.is("Loop");
    if (!is_loop && !item.is("If")) return ok();
    const size_t skip = is_loop ? 1 : 0;  // a Loop's body gives its condition first
    const size_t inputs = is_loop ? std::max<size_t>(item.inputs().size(), 2) : 0;
    if (nested.inputs().size() != inputs)
      return invalid("number of inputs", text(nested.inputs().size()), text(inputs));
    if (nested.outputs().size() != item.outputs().size() + skip)
      return invalid("number of outputs", text(nested.outputs().size()),
                     text(item.outputs().size() + skip));
    for (size_t i = 0; i < item.outputs().size(); ++i) {
      const Value* outer = item.outputs()[i];
      const Value* inner = nested.outputs()[i + skip];
      if (inner != nullptr && outer->has_type && inner->has_type &&
          outer->type.dtype != inner->type.dtype)
        return invalid(text("dtype of output ", i), std::string(dtype_name(inner->type.dtype)),
                       std::string(dtype_name(outer->type.dtype)));
    }
    return ok();
  }

  Status types(const Node& item) const {
    if (dead_depth_ > 0) return ok();
    std::vector<InferInput> in;
    for (const Value* input : item.inputs()) {
      if (input == nullptr) {
        in.emplace_back();
        continue;
      }
      if (!input->has_type) return ok();
      in.push_back({.type = &input->type,
                    .content = input->content ? &*input->content : nullptr,
                    .constant = input->constant()});
    }
    const auto count = static_cast<int64_t>(item.outputs().size());
    if (item.schema().infer == nullptr) return check_inputs(item.schema(), in, count);
    NPU_LET(const auto inferred, infer_operator(item, in));
    for (size_t i = 0; i < item.outputs().size(); ++i) {
      const Value& output = *item.outputs()[i];
      if (output.has_type && !agree(output.type, inferred[i].type))
        return invalid(
            text("the type of output '", output.name(), "' is not what ", item.op(), " gives"),
            output.type.str(), inferred[i].type.str());
    }
    return ok();
  }

  std::unordered_set<const Graph*> graphs_;
  std::unordered_set<const Node*> nodes_;
  std::unordered_map<const Value*, int64_t> reads_;
  std::unordered_map<const Value*, int64_t> listed_;
  std::unordered_set<const Value*> made_;
  int64_t dead_depth_ = 0;  // nested graphs around that are never run
};

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).graph(graph); }

}  // namespace npugraph
