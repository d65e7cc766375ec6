// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/reshape_to.h"

#include "npugraph/base/text.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

/// A symbol that the model's facts keep from being 0.
bool is_positive(const Graph& graph, const Dim& dim) {
  if (const std::optional<int64_t> number = dim.known()) return *number > 0;
  const std::vector<std::string> symbols = dim.symbols();
  if (symbols.size() != 1 || !(dim == Dim::symbol(symbols.front()))) return false;
  const Graph* outermost = &graph;
  while (outermost->parent() != nullptr) outermost = outermost->parent();
  const auto fact = outermost->facts.find(symbols.front());
  return fact != outermost->facts.end() && fact->second.min >= 1;
}

}  // namespace

std::optional<std::vector<int64_t>> reshape_target(const Value& in, const Shape& out) {
  if (!in.has_type || !in.type.shape.ranked() || !out.ranked()) return std::nullopt;
  const Shape& from = in.type.shape;
  std::vector<int64_t> target;
  bool has_free = false, copies_positive = true;
  for (int64_t axis = 0; axis < out.rank(); ++axis) {
    const std::optional<int64_t> number = out[axis].known();
    if (number && *number != 0) {
      target.push_back(*number);
    } else if (axis < from.rank() && from[axis] == out[axis]) {
      target.push_back(0);
      copies_positive = copies_positive && is_positive(in.graph(), out[axis]);
    } else if (number || has_free) {
      return std::nullopt;
    } else {
      target.push_back(-1);
      has_free = true;
    }
  }
  // The size behind -1 is a quotient, which a dim of 0 would leave open.
  if (has_free && !copies_positive) return std::nullopt;
  return target;
}

Result<Node*> insert_reshape(Node& node, Value& in) {
  Node* const none = nullptr;
  if (!node.output()->has_type) return none;
  const TensorType type = node.output()->type;
  const std::optional<std::vector<int64_t>> target = reshape_target(in, type.shape);
  if (!target) return none;
  Graph& graph = node.graph();
  Value& shape = graph.add_constant(text(node.name(), ".shape"), Tensor::of_ints(*target));
  const Result<Node*> made = insert_node(node, "", "Reshape", node.name(), {&in, &shape}, Attrs{});
  if (!made) return none;
  Node* const reshape = *made;
  if (!(reshape->output()->type == type)) {
    graph.erase(*reshape);
    graph.erase_unused_constants();
    return none;
  }
  reshape->output()->content = node.output()->content;
  return reshape;
}

}  // namespace npugraph
