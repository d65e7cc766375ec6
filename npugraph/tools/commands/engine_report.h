// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "npugraph/api/npugraph.h"

namespace npugraph::tools {

/// Engine::describe_json(), parsed. Errors: kInternal.
Result<nlohmann::json> engine_json(const Engine& engine);

/// Fills in the times of the passes, which an engine does not hold.
void add_pass_times(const CompileTimes& times, nlohmann::json& engine);

/// {"read", "optimise", "lower", "write", "total"} in microseconds.
nlohmann::json times_json(const CompileTimes& times);

/// Nodes by device with the reasons of those that the wanted device refused, programs, copies and
/// memory, in a few lines.
std::string summary_text(const nlohmann::json& engine);

/// "12.3 KiB", or "depends on the shapes" for -1.
std::string planned_bytes_str(const nlohmann::json& bytes);

}  // namespace npugraph::tools
