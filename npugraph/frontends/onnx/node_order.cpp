// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/node_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"

namespace npugraph::onnx {
namespace {

void collect_reads(const NodeProto& node, std::vector<std::string_view>& reads);

/// Names that a nested graph reads from the graphs around it.
void collect_free(const GraphProto& graph, std::vector<std::string_view>& reads) {
  std::unordered_set<std::string_view> own;
  for (const auto& input : graph.input()) own.insert(input.name());
  for (const auto& tensor : graph.initializer()) own.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) own.insert(tensor.values().name());
  for (const auto& node : graph.node())
    for (const auto& output : node.output()) own.insert(output);
  std::vector<std::string_view> inner;
  for (const auto& node : graph.node()) collect_reads(node, inner);
  for (const auto& output : graph.output()) inner.push_back(output.name());
  for (const std::string_view name : inner)
    if (!own.contains(name)) reads.push_back(name);
}

void collect_reads(const NodeProto& node, std::vector<std::string_view>& reads) {
  for (const auto& input : node.input())
    if (!input.empty()) reads.push_back(input);
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) collect_free(attribute.g(), reads);
    for (const auto& graph : attribute.graphs()) collect_free(graph, reads);
  }
}

/// Edges from producers to readers, by index.
struct Edges {
  std::vector<std::vector<int>> readers;
  std::vector<int> unmet;  // producers that a node waits for
  bool in_order = true;    // every producer stands before its readers
};

Result<Edges> find_edges(const NodeProtos& nodes) {
  std::unordered_map<std::string_view, int> makers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const auto& output : nodes[i].output())
      if (!output.empty() && !makers.emplace(output, i).second)
        return at(text("node ", shown(node_name(nodes[i]))),
                  fail(ErrorId::kOnnxStructure, text("value ", shown(output), " is made twice"),
                       text("also by node ", shown(node_name(nodes[makers[output]]))),
                       "one node for each value"));
  Edges edges;
  edges.readers.resize(static_cast<size_t>(nodes.size()));
  edges.unmet.assign(static_cast<size_t>(nodes.size()), 0);
  std::vector<std::string_view> reads;
  for (int i = 0; i < nodes.size(); ++i) {
    reads.clear();
    collect_reads(nodes[i], reads);
    for (const std::string_view name : reads) {
      const auto maker = makers.find(name);
      if (maker == makers.end()) continue;
      edges.readers[static_cast<size_t>(maker->second)].push_back(i);
      ++edges.unmet[static_cast<size_t>(i)];
      edges.in_order = edges.in_order && maker->second < i;
    }
  }
  return edges;
}

}  // namespace

Result<std::vector<int>> node_order(const NodeProtos& nodes) {
  NPU_LET(Edges edges, find_edges(nodes));
  std::vector<int> order;
  if (edges.in_order) {
    order.resize(static_cast<size_t>(nodes.size()));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i)
    if (edges.unmet[static_cast<size_t>(i)] == 0) ready.push(i);
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const int reader : edges.readers[static_cast<size_t>(next)])
      if (--edges.unmet[static_cast<size_t>(reader)] == 0) ready.push(reader);
  }
  if (static_cast<int>(order.size()) == nodes.size()) return order;
  const auto stuck =
      std::find_if(edges.unmet.begin(), edges.unmet.end(), [](int count) { return count > 0; });
  const auto& node = nodes[static_cast<int>(stuck - edges.unmet.begin())];
  return at(
      text("node ", shown(node_name(node))),
      fail(ErrorId::kOnnxStructure, "the node waits for its own output",
           text(static_cast<size_t>(nodes.size()) - order.size(), " nodes in or behind a cycle"),
           "a graph without cycles"));
}

std::string_view node_name(const NodeProto& node) {
  if (!node.name().empty()) return node.name();
  for (const auto& output : node.output())
    if (!output.empty()) return output;
  return node.op_type();
}

}  // namespace npugraph::onnx
