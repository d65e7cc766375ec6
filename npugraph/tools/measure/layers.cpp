// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/measure/layers.h"

#include <algorithm>
#include <set>

namespace npugraph::tools {
namespace {

LayerRow compare_pair(const NamedTensor& reference, const NamedTensor& engine,
                      const Origins& origins, double tolerance) {
  LayerRow row{reference.name, reference.node, engine.node, {}, {}, {}, {}, false};
  if (const auto hit = origins.find(engine.node); hit != origins.end()) row.origins = hit->second;
  auto measured = agreement(engine.tensor.view(), reference.tensor.view());
  if (!measured) {
    row.problem =
        measured.error().what + ": " + measured.error().found + " and " + measured.error().expected;
    row.over = true;
    return row;
  }
  row.agreement = *measured;
  row.over = row.agreement.mismatches > 0 || !(row.agreement.relative_error <= tolerance);
  return row;
}

}  // namespace

std::vector<LayerRow> compare_layers(const std::vector<NamedTensor>& reference,
                                     const std::vector<NamedTensor>& engine, const Origins& origins,
                                     double tolerance) {
  std::map<std::string, std::vector<const NamedTensor*>, std::less<>> made;
  for (const NamedTensor& value : engine) made[value.name].push_back(&value);
  std::map<std::string, size_t, std::less<>> used;
  std::vector<LayerRow> rows;
  for (const NamedTensor& value : reference) {
    const auto hit = made.find(value.name);
    if (hit == made.end()) continue;
    const size_t turn = used[value.name]++;
    if (turn >= hit->second.size()) continue;
    rows.push_back(compare_pair(value, *hit->second[turn], origins, tolerance));
  }
  return rows;
}

std::optional<size_t> first_over(const std::vector<LayerRow>& rows) {
  const auto hit =
      std::find_if(rows.begin(), rows.end(), [](const LayerRow& row) { return row.over; });
  if (hit == rows.end()) return std::nullopt;
  return static_cast<size_t>(hit - rows.begin());
}

std::vector<std::string> nodes_unseen(const LayerRow& row, const std::vector<LayerRow>& rows,
                                      const Wiring& wiring, const Origins& origins) {
  std::set<std::string> compared, done = {row.task}, nodes;
  for (const LayerRow& other : rows) compared.insert(other.name);
  std::vector<std::string> tasks = {row.task};
  while (!tasks.empty()) {
    const auto reads = wiring.values_read.find(tasks.back());
    tasks.pop_back();
    if (reads == wiring.values_read.end()) continue;
    for (const std::string& value : reads->second) {
      const auto maker = wiring.maker.find(value);
      if (compared.contains(value) || maker == wiring.maker.end()) continue;
      if (!done.insert(maker->second).second) continue;
      tasks.push_back(maker->second);
      const auto stands_for = origins.find(maker->second);
      if (stands_for != origins.end())
        nodes.insert(stands_for->second.begin(), stands_for->second.end());
    }
  }
  return {nodes.begin(), nodes.end()};
}

}  // namespace npugraph::tools
