// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/dump.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/ir/print.h"
#include "npugraph/passes/runner.h"

namespace npugraph {
namespace {

void collect(const Graph& graph, NodeLines& lines) {
  for (const Node* node : graph.nodes()) {
    const std::string_view domain = node->schema().domain;
    lines.push_back({node->name(),
                     domain.empty() ? std::string(node->op()) : text(domain, "::", node->op()),
                     print(*node)});
    for (const auto& [name, nested] : node->subgraphs()) collect(*nested, lines);
  }
}

std::map<std::string_view, const NodeLine*> by_name(const NodeLines& lines) {
  std::map<std::string_view, const NodeLine*> out;
  for (const NodeLine& line : lines) out.emplace(line.name, &line);
  return out;
}

/// Whether a dump makes files of this name: NNN_pass.before.txt and the like.
bool is_dumped(std::string_view name) {
  const size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  if (digits < 3 || !name.substr(digits).starts_with('_')) return false;
  const std::string_view rest = name.substr(digits + 1);
  const std::string_view end = rest.substr(std::min(rest.find('.'), rest.size()));
  return end.size() < rest.size() &&
         (end == ".before.txt" || end == ".after.txt" || end == ".diff.txt");
}

Error folder_error(const std::filesystem::path& folder, const char* what,
                   const std::error_code& why) {
  return at(text("folder '", folder.string(), "'"),
            fail(ErrorId::kFileWrite, what, why.message(), "a folder that can be written to"));
}

Status remove_old(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> old;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (is_dumped(entry->path().filename().string())) old.push_back(entry->path());
  }
  if (error) return folder_error(folder, "cannot list the folder of the dumps", error);
  for (const std::filesystem::path& file : old) {
    if (!std::filesystem::remove(file, error) && error)
      return folder_error(folder, "cannot remove an earlier dump", error);
  }
  return ok();
}

}  // namespace

NodeLines node_lines(const Graph& graph) {
  NodeLines lines;
  collect(graph, lines);
  return lines;
}

std::string node_diff(const NodeLines& before, const NodeLines& after) {
  const auto old_nodes = by_name(before), new_nodes = by_name(after);
  std::string removed, changed, added;
  for (const NodeLine& line : before)
    if (!new_nodes.contains(line.name))
      removed += text("removed  ", line.op, "  ", line.name, "\n");
  for (const NodeLine& line : after) {
    const auto hit = old_nodes.find(line.name);
    if (hit == old_nodes.end()) {
      added += text("added    ", line.op, "  ", line.name, "\n");
    } else if (hit->second->op != line.op) {
      changed += text("changed  ", hit->second->op, " -> ", line.op, "  ", line.name, "\n");
    } else if (hit->second->text != line.text) {
      changed += text("changed  ", line.op, "  ", line.name, "\n");
    }
  }
  return removed + changed + added;
}

Result<PassDump> PassDump::start(std::filesystem::path folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) return folder_error(folder, "cannot make the folder of the dumps", error);
  NPU_TRY(remove_old(folder));
  PassDump dump(std::move(folder));
  NPU_TRY(write_file(dump.folder_ / "index.txt", dump.index_));
  return dump;
}

Status PassDump::add(int64_t call, const PassReport& report, const std::string& before,
                     const std::string& after, const std::string& diff) {
  std::string number = text(call);
  number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
  const std::string stem = text(number, '_', report.name);
  NPU_TRY(write_file(folder_ / text(stem, ".before.txt"), before));
  NPU_TRY(write_file(folder_ / text(stem, ".after.txt"), after));
  NPU_TRY(write_file(folder_ / text(stem, ".diff.txt"), diff));
  index_ += text(number, "  ", report.name, "  ", report.changes, "  ", report.nodes_before, "  ",
                 report.nodes_after, "\n");
  return write_file(folder_ / "index.txt", index_);
}

}  // namespace npugraph
