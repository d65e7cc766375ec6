// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/runner.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/ir/print.h"

namespace npugraph {
namespace {

/// The pass over the nested graphs, inner ones first, then over `graph`.
Result<int64_t> run_deep(const Pass& pass, Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  if (pass.nested) {
    for (const Node* node : graph.nodes()) {
      for (const auto& [name, nested] : node->subgraphs()) {
        NPU_LET(const int64_t inner, run_deep(pass, *nested, context));
        changes += inner;
      }
    }
  }
  NPU_LET(const int64_t own, pass.run(graph, context));
  return changes + own;
}

Status check_options(const PassOptions& options, std::span<const Pass> table) {
  if (options.opt_level < 0 || options.opt_level > kMaxOptLevel) {
    return fail(ErrorId::kBadOption, "the optimisation level is outside its range",
                text(options.opt_level), text("0..", kMaxOptLevel));
  }
  std::vector<std::string_view> names;
  for (const Pass& pass : table) names.push_back(pass.name);
  for (const auto& [name, on] : options.switches) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string close = nearest(name, names);
    return fail(ErrorId::kBadOption, "there is no pass of this name", name, join(names),
                close.empty() ? "" : text("did you mean '", close, "'?"));
  }
  return ok();
}

Status verify_after(const Graph& graph) {
  const Status sound = verify(graph);
  if (sound) return ok();
  return fail(ErrorId::kPassFailed, "the graph is not well formed after the pass",
              sound.error().message(), "a graph that verify() takes");
}

class Runner {
 public:
  Runner(Graph& graph, const PassOptions& options) : graph_(graph), options_(options) {}

  Result<std::vector<PassReport>> run(std::span<const Pass> table) {
    if (options_.self_check) {
      NPU_LET(SelfCheck check, SelfCheck::start(graph_, options_.self_check_options));
      check_ = std::move(check);
    }
    for (int64_t round = 0; round < options_.max_rounds; ++round) {
      NPU_TRY(clean_up(table));
      NPU_LET(const int64_t fused, run_group(table, PassGroup::kFuse));
      if (fused == 0) break;
    }
    NPU_TRY(clean_up(table));
    return std::move(reports_);
  }

 private:
  Status clean_up(std::span<const Pass> table) {
    if (clean_) return ok();
    for (int64_t round = 0; round < options_.max_rounds; ++round) {
      NPU_LET(const int64_t changes, run_group(table, PassGroup::kCleanup));
      if (changes == 0) break;
    }
    clean_ = true;
    return ok();
  }

  Result<int64_t> run_group(std::span<const Pass> table, PassGroup group) {
    int64_t changes = 0;
    for (const Pass& pass : table) {
      if (pass.group != group || !is_on(pass)) continue;
      NPU_TRY(run_one(pass));
      changes += reports_.back().changes;
    }
    if (changes != 0) clean_ = false;
    return changes;
  }

  bool is_on(const Pass& pass) const {
    const auto found = options_.switches.find(pass.name);
    return found != options_.switches.end() ? found->second : pass.level <= options_.opt_level;
  }

  Status run_one(const Pass& pass) {
    using Clock = std::chrono::steady_clock;
    const bool is_watched = check_ || !options_.dump_dir.empty();
    const std::string before = is_watched ? print(graph_) : "";
    PassReport report = {.name = pass.name, .nodes_before = graph_.total_node_count()};
    const Clock::time_point start = Clock::now();
    const std::string place = text("pass '", pass.name, "'");
    Result<int64_t> changes = run_deep(pass, graph_, options_.context);
    if (!changes) return at(place, std::move(changes).error());
    report.changes = *changes;
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    report.microseconds = took.count();
    report.nodes_after = graph_.total_node_count();
    reports_.push_back(report);
    // The text tells constants apart by a hash: equal texts are equal graphs.
    const std::string after = is_watched ? print(graph_) : "";
    const bool is_changed = is_watched && after != before;
    if (is_changed && !options_.dump_dir.empty()) NPU_TRY(dump(pass, before, after));
    if (options_.verify) NPU_TRY_AT(place, verify_after(graph_));
    if (is_changed && check_) NPU_TRY_AT(place, check_->compare(graph_, pass.exact));
    return ok();
  }

  Status dump(const Pass& pass, const std::string& before, const std::string& after) {
    std::error_code error;
    std::filesystem::create_directories(options_.dump_dir, error);  // write_file reports it
    std::string number = text(reports_.size());
    number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
    const std::string stem = text(number, '_', pass.name);
    NPU_TRY(write_file(options_.dump_dir / text(stem, ".before.txt"), before));
    return write_file(options_.dump_dir / text(stem, ".after.txt"), after);
  }

  Graph& graph_;
  const PassOptions& options_;
  std::optional<SelfCheck> check_;
  std::vector<PassReport> reports_;
  bool clean_ = false;  // nothing changed since the clean-up passes last ran dry
};

}  // namespace

Result<std::vector<PassReport>> run_passes(Graph& graph, const PassOptions& options,
                                           std::span<const Pass> table) {
  NPU_TRY(check_options(options, table));
  return Runner(graph, options).run(table);
}

}  // namespace npugraph
