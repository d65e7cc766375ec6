// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "npugraph/base/result.h"

namespace npugraph::tools {

constexpr int kExitOk = 0;
constexpr int kExitNo = 1;     // check or compare ran and the answer is no
constexpr int kExitError = 2;  // an Error was printed
constexpr int kExitInterrupt = 130;

/// One command: its part of the command line, and what it does once that is parsed. run() returns
/// the exit status.
struct Command {
  CLI::App* app = nullptr;
  std::function<Result<int>()> run;
};

Command add_bench(CLI::App& root);
Command add_check(CLI::App& root);
Command add_compare(CLI::App& root);
Command add_compile(CLI::App& root);
Command add_devices(CLI::App& root);
Command add_inspect(CLI::App& root);
Command add_ops(CLI::App& root);
Command add_optimise(CLI::App& root);
Command add_run(CLI::App& root);

/// Prints JSON on stdout. Bytes that are not UTF-8 are replaced; numbers that are not finite are
/// printed as null.
void print_json(const nlohmann::json& value);
/// The same as text for a file.
std::string json_text(const nlohmann::json& value);

}  // namespace npugraph::tools
