// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/partition.h"

#include <algorithm>
#include <map>
#include <set>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

constexpr std::string_view kHost = "cpu";

/// The device that a value is on before any copy.
std::string_view home(const Value& value) {
  return value.producer() == nullptr ? kHost : std::string_view(value.producer()->device);
}

Placement place(const Node& node, std::span<const Target* const> targets) {
  Placement row;
  row.node = node.name();
  row.op = std::string(node.op());
  const bool control_flow = !node.subgraphs().empty();
  for (size_t i = 1; i <= targets.size(); ++i) {
    const size_t index = i % targets.size();  // the cpu comes last
    if (control_flow && index != 0) {
      if (row.reason.empty()) {
        row.reason = text(targets[index]->info().device.name, ": control flow");
        row.found = std::string(node.op());
        row.allowed = "the host reads the predicate and starts the nested tasks";
      }
      continue;
    }
    const Support support = targets[index]->supports(node);
    if (support.yes) {
      row.device = targets[index]->info().device.name;
      row.kernel = targets[index]->kernel(node);
      return row;
    }
    if (row.reason.empty()) {
      row.reason = text(targets[index]->info().device.name, ": ", support.reason);
      row.found = support.found;
      row.allowed = support.allowed;
    }
  }
  return row;
}

/// Whether unit `from` reaches unit `to` over `edges` (unit -> units that read from it).
bool reaches(const std::vector<std::set<size_t>>& edges, size_t from, size_t to) {
  std::vector<size_t> stack = {from};
  std::set<size_t> seen = {from};
  while (!stack.empty()) {
    const size_t unit = stack.back();
    stack.pop_back();
    if (unit == to) return true;
    for (const size_t next : edges[unit])
      if (seen.insert(next).second) stack.push_back(next);
  }
  return false;
}

}  // namespace

void place_nodes(Graph& graph, std::span<const Target* const> targets,
                 std::vector<Placement>& placements) {
  for (Node* node : graph.nodes()) {
    placements.push_back(place(*node, targets));
    node->device = placements.back().device;
    for (const auto& [name, nested] : node->subgraphs()) place_nodes(*nested, targets, placements);
  }
}

std::vector<Unit> form_units(const Graph& graph, std::span<const Target* const> targets) {
  std::map<std::string_view, int32_t> target_of;
  for (size_t i = 0; i < targets.size(); ++i)
    target_of[targets[i]->info().device.name] = static_cast<int32_t>(i);

  std::vector<Unit> units;
  std::vector<std::set<size_t>> edges;
  std::map<const Node*, size_t> unit_of;
  std::map<int32_t, size_t> open;  // target -> its latest region
  for (Node* node : graph.nodes()) {
    const int32_t target = target_of[node->device];
    std::set<size_t> sources;
    for (const Value* value : values_read(*node))
      if (value->producer() != nullptr && &value->graph() == &graph)
        sources.insert(unit_of.at(value->producer()));

    size_t unit = units.size();
    if (targets[static_cast<size_t>(target)]->info().whole_regions && open.contains(target)) {
      const size_t region = open[target];
      const bool cyclic = std::any_of(sources.begin(), sources.end(), [&](size_t source) {
        return source != region && reaches(edges, region, source);
      });
      if (!cyclic) unit = region;
    }
    if (unit == units.size()) {
      units.push_back({target, {}});
      edges.emplace_back();
      open[target] = unit;
    }
    units[unit].nodes.push_back(node);
    unit_of[node] = unit;
    for (const size_t source : sources)
      if (source != unit) edges[source].insert(unit);
  }
  return units;
}

int64_t count_cut_edges(const Graph& graph) {
  std::set<std::pair<const Value*, std::string_view>> crossings;
  const auto read = [&](const Value* value, std::string_view device) {
    if (value == nullptr || value->constant() != nullptr || home(*value) == device) return;
    crossings.emplace(value, device);
  };
  int64_t nested_count = 0;
  for (const Node* node : graph.nodes()) {
    for (const Value* value : node->inputs()) read(value, node->device);
    for (const auto& [name, nested] : node->subgraphs()) nested_count += count_cut_edges(*nested);
  }
  for (const Value* value : graph.outputs()) read(value, kHost);
  return static_cast<int64_t>(crossings.size()) + nested_count;
}

}  // namespace npugraph
