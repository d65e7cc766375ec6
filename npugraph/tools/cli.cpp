// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/cli.h"

#include <algorithm>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/commands/command.h"
#include "npugraph/tools/terminal/interrupt.h"
#include "npugraph/tools/terminal/table.h"

namespace npugraph::tools {
namespace {

constexpr std::string_view kFooter =
    "Exit status: 0 done, 1 check or compare found fault, 2 error, 130 interrupted.\n"
    "`npugraph COMMAND --help` explains a command.";

int report(const Error& error) {
  std::cerr << "npugraph: error " << printable(error.message()) << '\n';
  const bool stopped = error.code() == Code::kCancelled || interrupted() != 0;
  return stopped ? kExitInterrupt : kExitError;
}

/// The option or command of `app` nearest to `word`, with what it begins with.
std::string nearest_option(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return nearest(word.substr(0, word.find('=')), names);
}

/// CLI11's complaint as an Error of ours, with the nearest name for an option that is not known.
int report_usage(const CLI::App& root, const CLI::ParseError& problem,
                 const std::vector<std::string>& words) {
  const CLI::App* app = &root;
  for (const CLI::App* command : root.get_subcommands()) app = command;
  std::string fix =
      "see `" + (app == &root ? "" : root.get_name() + " ") + app->get_name() + " --help`";
  if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr) {
    for (const std::string& word : words) {
      if (!word.starts_with("--") || app->get_option_no_throw(word.substr(0, word.find('='))))
        continue;
      const std::string near = nearest_option(*app, word);
      if (!near.empty()) fix = text("did you mean ", near, "? ", fix);
      break;
    }
  }
  return report(fail(ErrorId::kBadOption, problem.what(), {}, {}, fix));
}

/// A first word that is no command, for which CLI11 would only say that one is missing.
const std::string* unknown_command(const CLI::App& root, const std::vector<std::string>& words) {
  if (words.empty() || words.front().starts_with('-')) return nullptr;
  const auto all = root.get_subcommands([](const CLI::App*) { return true; });
  const bool known = std::any_of(all.begin(), all.end(), [&](const CLI::App* command) {
    return command->get_name() == words.front();
  });
  return known ? nullptr : &words.front();
}

int report_unknown_command(const CLI::App& root, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::string near = nearest(word, names);
  return report(fail(ErrorId::kBadOption, "there is no such command", text("'", word, "'"),
                     join(names), near.empty() ? "" : text("did you mean '", near, "'?")));
}

int run_command(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    try {
      const auto status = command.run();
      if (!status) return report(status.error());
      std::cout.flush();
      return std::cout ? *status
                       : report(fail(ErrorId::kFileWrite, "standard output cannot be written"));
    } catch (const std::bad_alloc&) {
      return report(fail(ErrorId::kOutOfMemory, "memory ran out"));
    }
  }
  return kExitError;
}

}  // namespace

void print_json(const nlohmann::json& value) { std::cout << json_text(value); }

std::string json_text(const nlohmann::json& value) {
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int run_cli(int argc, char** argv) {
  install_interrupt_handlers();
  CLI::App root("Compiles models for an NPU, and runs, measures and checks them.", "npugraph");
  root.set_version_flag("--version", "npugraph " + std::string(version()));
  root.footer(std::string(kFooter));
  root.require_subcommand(1);
  const std::vector<Command> commands = {add_compile(root), add_run(root),      add_inspect(root),
                                         add_check(root),   add_bench(root),    add_compare(root),
                                         add_ops(root),     add_optimise(root), add_devices(root)};
  std::vector<std::string> words(argv + 1, argv + argc);
  if (const std::string* word = unknown_command(root, words))
    return report_unknown_command(root, *word);
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return root.exit(wanted);
  } catch (const CLI::ParseError& problem) {
    return report_usage(root, problem, words);
  }
  return run_command(commands);
}

}  // namespace npugraph::tools
