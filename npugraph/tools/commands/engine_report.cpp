// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/commands/engine_report.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "npugraph/base/text.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {

using nlohmann::json;

namespace {

/// The commonest reason of the wanted device, and inputs whose open sizes may stand behind it.
std::string refusals_text(const json& engine, const std::map<std::string, int64_t>& reasons) {
  const auto most =
      std::max_element(reasons.begin(), reasons.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string out = text("\nmost refused for ", most->first, " (", most->second, ")");
  for (const json& input : engine["inputs"]) {
    const std::string shape = input["shape"].get<std::string>();
    const std::string name = input["name"].get<std::string>();
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
    if (std::any_of(shape.begin(), shape.end(), is_letter))
      out += text("\ninput '", name, "' has open sizes, ", shape,
                  ": where the device needs numbers, ", "compile with --shape ", name, "=…");
  }
  return out;
}

}  // namespace

Result<json> engine_json(const Engine& engine) {
  json parsed = json::parse(engine.describe_json(), nullptr, false);
  if (parsed.is_discarded())
    return fail(ErrorId::kInternal, "the description of an engine is not JSON");
  return parsed;
}

void add_pass_times(const CompileTimes& times, json& engine) {
  json& rows = engine["passes"];
  for (size_t i = 0; i < times.passes_us.size() && i < rows.size(); ++i)
    rows[i]["time_us"] = times.passes_us[i].second;
}

json times_json(const CompileTimes& times) {
  return {{"read", times.read_us},
          {"optimise", times.optimise_us},
          {"lower", times.lower_us},
          {"write", times.write_us},
          {"total", times.total_us()}};
}

std::string planned_bytes_str(const json& bytes) {
  const int64_t value = bytes.get<int64_t>();
  return value < 0 ? "depends on the shapes" : bytes_str(value);
}

std::string summary_text(const json& engine) {
  std::map<std::string, int64_t> by_device, reasons;
  int64_t refused = 0;
  for (const json& node : engine["nodes"]) {
    ++by_device[node["device"].get<std::string>()];
    const std::string reason = node["reason"].get<std::string>();
    if (reason.empty()) continue;
    ++refused;
    ++reasons[reason];
  }
  std::string out = text("nodes: ", engine["nodes"].size());
  for (const auto& [device, count] : by_device) out += text(", ", count, " on ", device);
  if (refused > 0) {
    out += text(" (", refused, " refused by the wanted device, see inspect)");
    out += refusals_text(engine, reasons);
  }
  out += text("\nprograms: ", engine["programs"].size(), ", tasks: ", engine["task_count"].dump(),
              ", copies: ", engine["copies"].dump(), "\n");
  const json& memory = engine["memory"];
  out += text("weights: ", bytes_str(memory["weight_bytes"].get<int64_t>()), "\n");
  for (const json& arena : memory["arenas"])
    out += text("arena of ", arena["device"].get<std::string>(), ": ",
                planned_bytes_str(arena["arena_bytes"]), "\n");
  return out;
}

}  // namespace npugraph::tools
