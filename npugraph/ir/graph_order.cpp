// SPDX-License-Identifier: Apache-2.0
// What nodes and nested graphs read, and the order that follows from it.
#include <queue>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/ir/graph.h"

namespace npugraph {
namespace {

/// True when `graph` is `outer` or lies inside it.
bool is_inside(const Graph& graph, const Graph& outer) {
  for (const Graph* at_graph = &graph; at_graph != nullptr; at_graph = at_graph->parent())
    if (at_graph == &outer) return true;
  return false;
}

void collect_captured(const Graph& graph, const Graph& outer, std::vector<Value*>& out,
                      std::unordered_set<const Value*>& seen) {
  const auto add = [&](Value* value) {
    if (value == nullptr || is_inside(value->graph(), outer)) return;
    if (seen.insert(value).second) out.push_back(value);
  };
  for (const Node* node : graph.nodes()) {
    for (Value* input : node->inputs()) add(input);
    for (const auto& [name, nested] : node->subgraphs())
      collect_captured(*nested, outer, out, seen);
  }
  for (Value* output : graph.outputs()) add(output);
}

}  // namespace

std::vector<Value*> captured_values(const Graph& graph) {
  std::vector<Value*> out;
  std::unordered_set<const Value*> seen;
  collect_captured(graph, graph, out, seen);
  return out;
}

std::vector<Value*> values_read(const Node& node) {
  std::vector<Value*> out;
  for (Value* input : node.inputs())
    if (input != nullptr) out.push_back(input);
  for (const auto& [name, nested] : node.subgraphs()) {
    const std::vector<Value*> captured = captured_values(*nested);
    out.insert(out.end(), captured.begin(), captured.end());
  }
  return out;
}

namespace {

/// For each node, the places in `nodes` of the nodes of the same graph whose values it reads.
std::vector<std::vector<size_t>> producers_of(const std::vector<Node*>& nodes) {
  std::unordered_map<const Node*, size_t> index;
  for (size_t i = 0; i < nodes.size(); ++i) index.emplace(nodes[i], i);
  std::vector<std::vector<size_t>> producers(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const Value* value : values_read(*nodes[i])) {
      if (&value->graph() != &nodes[i]->graph() || value->producer() == nullptr) continue;
      producers[i].push_back(index.at(value->producer()));
    }
  }
  return producers;
}

/// A node of a cycle, given which nodes never became ready: each of those has a producer that did
/// not either, so walking back along them must come round.
size_t find_in_cycle(const std::vector<std::vector<size_t>>& producers,
                     const std::vector<int64_t>& waits) {
  size_t place = 0;
  while (waits[place] == 0) ++place;
  std::unordered_set<size_t> seen;
  while (seen.insert(place).second) {
    for (const size_t producer : producers[place]) {
      if (waits[producer] == 0) continue;
      place = producer;
      break;
    }
  }
  return place;
}

}  // namespace

Status Graph::sort() {
  const std::vector<Node*> before = nodes();
  const auto producers = producers_of(before);
  std::vector<std::vector<size_t>> readers(before.size());
  std::vector<int64_t> waits(before.size(), 0);
  for (size_t i = 0; i < before.size(); ++i) {
    waits[i] = static_cast<int64_t>(producers[i].size());
    for (const size_t producer : producers[i]) readers[producer].push_back(i);
  }
  // The ready node that stood first goes first, so that a sorted graph stays as it is.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < before.size(); ++i)
    if (waits[i] == 0) ready.push(i);
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const size_t reader : readers[next])
      if (--waits[reader] == 0) ready.push(reader);
  }
  if (order.size() != before.size())
    return at(text("node '", before[find_in_cycle(producers, waits)]->name_, "'"),
              fail(ErrorId::kGraphInvalid, "the node reads what it makes", "a cycle",
                   "a graph without cycles"));
  for (Node* node : before)
    for (const auto& [name, nested] : node->subgraphs_) NPU_TRY(nested->sort());
  for (const size_t i : order) nodes_.splice(nodes_.end(), nodes_, before[i]->place_);
  return ok();
}

}  // namespace npugraph
