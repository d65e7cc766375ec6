// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/schedule.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

constexpr int64_t kAssumedSymbol = 64;  // dims that are not numbers, when orders are compared

/// Bytes of a value for comparing orders; an unranked or late one counts as nothing.
int64_t assumed_bytes(const Value& value) {
  if (!value.type.shape.ranked()) return 0;
  const Dim bytes = value.type.bytes();
  Dim::Bindings bindings;
  for (const std::string& symbol : bytes.symbols()) bindings[symbol] = kAssumedSymbol;
  const auto number = bytes.evaluate(bindings);
  return number ? std::max<int64_t>(*number, 0) : 0;
}

/// Who needs whom, and how many bytes come and go.
struct Problem {
  std::vector<std::set<size_t>> successors;
  std::vector<int64_t> missing;                          // units that must run first
  std::vector<std::vector<const Value*>> reads, writes;  // values of this graph, each once
  std::map<const Value*, int64_t> reader_count;
  std::map<const Value*, int64_t> bytes;
};

Problem state(const Graph& graph, const std::vector<Unit>& units) {
  Problem problem;
  const size_t count = units.size();
  problem.successors.resize(count);
  problem.missing.assign(count, 0);
  problem.reads.resize(count);
  problem.writes.resize(count);
  std::map<const Node*, size_t> unit_of;
  for (size_t i = 0; i < count; ++i)
    for (const Node* node : units[i].nodes) unit_of[node] = i;
  for (size_t i = 0; i < count; ++i) {
    std::set<const Value*> seen;
    for (const Node* node : units[i].nodes) {
      for (const Value* value : node->outputs()) {
        problem.writes[i].push_back(value);
        problem.bytes[value] = assumed_bytes(*value);
      }
      for (const Value* value : values_read(*node)) {
        if (&value->graph() != &graph || value->constant() != nullptr) continue;
        if (!seen.insert(value).second) continue;
        if (value->producer() == nullptr) continue;  // graph inputs are the user's memory
        const size_t source = unit_of.at(value->producer());
        if (source == i) continue;
        problem.reads[i].push_back(value);
        ++problem.reader_count[value];
        if (problem.successors[source].insert(i).second) ++problem.missing[i];
      }
    }
  }
  for (const Value* value : graph.outputs()) ++problem.reader_count[value];  // alive to the end
  return problem;
}

/// Runs `order` in thought. Returns the most bytes alive at once.
int64_t peak_of(const Problem& problem, std::span<const size_t> order) {
  std::map<const Value*, int64_t> left = problem.reader_count;
  int64_t live = 0, peak = 0;
  for (const size_t unit : order) {
    for (const Value* value : problem.writes[unit]) live += problem.bytes.at(value);
    peak = std::max(peak, live);
    for (const Value* value : problem.reads[unit])
      if (--left[value] == 0) live -= problem.bytes.at(value);
    for (const Value* value : problem.writes[unit])
      if (left[value] == 0) live -= problem.bytes.at(value);
  }
  return peak;
}

/// First of the ready units by `before`, again and again.
template <class Pick>
std::vector<size_t> list_schedule(const Problem& problem, const Pick& pick) {
  std::vector<int64_t> missing = problem.missing;
  std::map<const Value*, int64_t> left = problem.reader_count;
  std::set<size_t> ready;
  for (size_t i = 0; i < missing.size(); ++i)
    if (missing[i] == 0) ready.insert(i);
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t unit = pick(ready, left);
    ready.erase(unit);
    order.push_back(unit);
    for (const Value* value : problem.reads[unit]) --left[value];
    for (const size_t next : problem.successors[unit])
      if (--missing[next] == 0) ready.insert(next);
  }
  return order;
}

/// How many more bytes are alive after `unit` has run.
int64_t growth(const Problem& problem, const std::map<const Value*, int64_t>& left, size_t unit) {
  int64_t bytes = 0;
  for (const Value* value : problem.writes[unit])
    if (left.contains(value)) bytes += problem.bytes.at(value);
  for (const Value* value : problem.reads[unit])
    if (left.at(value) == 1) bytes -= problem.bytes.at(value);
  return bytes;
}

Result<std::vector<size_t>> user_order(const std::vector<Unit>& units, const Problem& problem,
                                       std::span<const std::string> names) {
  std::map<std::string_view, size_t> unit_of;
  for (size_t i = 0; i < units.size(); ++i)
    for (const Node* node : units[i].nodes) unit_of[node->name()] = i;
  std::vector<size_t> order;
  std::set<size_t> seen;
  std::vector<int64_t> missing = problem.missing;
  for (const std::string& name : names) {
    const auto hit = unit_of.find(name);
    if (hit == unit_of.end())
      return fail(ErrorId::kBadOrder, "the order names a node that is not in the optimised graph",
                  text("'", name, "'"), text("a node such as '", unit_of.begin()->first, "'"));
    if (!seen.insert(hit->second).second) continue;
    if (missing[hit->second] != 0)
      return fail(ErrorId::kBadOrder, "the order runs a node before what it reads",
                  text("'", name, "'"), "producers first");
    order.push_back(hit->second);
    for (const size_t next : problem.successors[hit->second]) --missing[next];
  }
  for (const auto& [name, unit] : unit_of)
    if (!seen.contains(unit))
      return fail(ErrorId::kBadOrder, "the order leaves out a node", text("'", name, "'"),
                  "every node of the optimised graph");
  return order;
}

}  // namespace

Result<std::vector<Unit>> schedule_units(const Graph& graph, std::vector<Unit> units,
                                         std::span<const std::string> order, bool minimise_memory) {
  const Problem problem = state(graph, units);
  std::vector<size_t> chosen;
  if (!order.empty()) {
    NPU_LET(chosen, user_order(units, problem, order));
  } else {
    const auto first = [](const std::set<size_t>& ready, const auto&) { return *ready.begin(); };
    chosen = list_schedule(problem, first);
    if (minimise_memory) {
      const auto smallest = [&](const std::set<size_t>& ready, const auto& left) {
        return *std::min_element(ready.begin(), ready.end(), [&](size_t a, size_t b) {
          const int64_t growth_a = growth(problem, left, a);
          const int64_t growth_b = growth(problem, left, b);
          return growth_a != growth_b ? growth_a < growth_b : a < b;
        });
      };
      std::vector<size_t> greedy = list_schedule(problem, smallest);
      if (peak_of(problem, greedy) < peak_of(problem, chosen)) chosen = std::move(greedy);
    }
  }
  NPU_CHECK(chosen.size() == units.size(), "units depend on each other in a circle");
  std::vector<Unit> out;
  for (const size_t unit : chosen) out.push_back(std::move(units[unit]));
  return out;
}

}  // namespace npugraph
