// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/runner.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "npugraph/base/text.h"
#include "npugraph/ir/print.h"
#include "npugraph/passes/dump.h"

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

bool is_built_in(std::string_view name) {
  return std::any_of(pipeline().begin(), pipeline().end(),
                     [&](const Pass& pass) { return pass.name == name; });
}

class Runner {
 public:
  Runner(Graph& graph, const PassOptions& options) : graph_(graph), options_(options) {}

  Result<std::vector<PassReport>> run(std::span<const Pass> table) {
    if (options_.self_check) {
      NPU_LET(SelfCheck check, SelfCheck::start(graph_, options_.self_check_options));
      check_ = std::move(check);
    }
    if (!options_.dump_dir.empty()) {
      NPU_LET(PassDump dump, PassDump::start(options_.dump_dir));
      dump_.emplace(std::move(dump));
    }
    nodes_at_start_ = graph_.total_node_count();
    for (int64_t round = 1; round <= options_.max_rounds; ++round) {
      NPU_TRY(clean_up(table));
      const size_t first = reports_.size();
      NPU_LET(const int64_t fused, run_group(table, PassGroup::kFuse));
      if (fused == 0) break;
      if (round == options_.max_rounds) NPU_TRY(check_settled(first));
    }
    NPU_TRY(clean_up(table));
    return std::move(reports_);
  }

 private:
  Status clean_up(std::span<const Pass> table) {
    if (clean_) return ok();
    for (int64_t round = 1; round <= options_.max_rounds; ++round) {
      const size_t first = reports_.size();
      NPU_LET(const int64_t changes, run_group(table, PassGroup::kCleanup));
      if (changes == 0) break;
      if (round == options_.max_rounds) NPU_TRY(check_settled(first));
    }
    clean_ = true;
    return ok();
  }

  /// After the last round: passes that match what they, or each other, made never end. The built-in
  /// ones do not; a long chain may only take them more rounds than there are.
  Status check_settled(size_t first) const {
    std::vector<std::string> names;
    for (size_t i = first; i < reports_.size(); ++i) {
      if (reports_[i].changes != 0 && !is_built_in(reports_[i].name))
        names.push_back(text("'", reports_[i].name, "'"));
    }
    if (names.empty()) return ok();
    return fail(ErrorId::kPassFailed,
                text("passes find something to change without end: ", join(names)),
                text("changes in each of ", options_.max_rounds, " rounds"),
                "a replacement in which no pass finds what it looks for",
                "change the replacement or add a guard, or switch the pass off by name");
  }

  /// Errors: kPassFailed for a pass that makes the graph grow beyond all measure.
  Status check_growth(const PassReport& report) {
    constexpr int64_t kFreeNodes = 1000, kNodesEach = 16;
    int64_t& added = added_[report.name];
    added += report.nodes_after - report.nodes_before;
    const int64_t limit = kFreeNodes + kNodesEach * nodes_at_start_;
    if (added <= limit) return ok();
    return fail(ErrorId::kPassFailed, "the pass adds nodes without end",
                text(added, " nodes added to ", nodes_at_start_), text("at most ", limit),
                "change the replacement or add a guard, or switch the pass off by name");
  }

  Result<int64_t> run_group(std::span<const Pass> table, PassGroup group) {
    int64_t changes = 0;
    for (const Pass& pass : table) {
      if (pass.group != group || !is_on(pass)) continue;
      if (static_cast<int64_t>(reports_.size()) >= options_.max_calls) return int64_t{0};
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
    if (options_.keep_going && !options_.keep_going())
      return fail(ErrorId::kCancelled, "compiling was interrupted while it was optimising");
    const bool is_watched = check_ || dump_;
    const std::string before = is_watched ? print(graph_) : "";
    const NodeLines lines_before = dump_ ? node_lines(graph_) : NodeLines();
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
    NPU_TRY_AT(place, check_growth(report));
    // The text tells constants apart by a hash: equal texts are equal graphs.
    const std::string after = is_watched ? print(graph_) : "";
    const bool is_changed = is_watched && after != before;
    if (is_changed && dump_) {
      NPU_TRY(dump_->add(static_cast<int64_t>(reports_.size()), report, before, after,
                         node_diff(lines_before, node_lines(graph_))));
    }
    if (options_.verify) NPU_TRY_AT(place, verify_after(graph_));
    if (is_changed && check_) NPU_TRY_AT(place, check_->compare(graph_, pass.exact));
    return ok();
  }

  Graph& graph_;
  const PassOptions& options_;
  std::optional<SelfCheck> check_;
  std::optional<PassDump> dump_;
  std::vector<PassReport> reports_;
  int64_t nodes_at_start_ = 0;
  std::map<std::string, int64_t, std::less<>> added_;  // nodes, by pass
  bool clean_ = false;  // nothing changed since the clean-up passes last ran dry
};

}  // namespace

Result<std::vector<PassReport>> run_passes(Graph& graph, const PassOptions& options,
                                           std::span<const Pass> table) {
  NPU_TRY(check_options(options, table));
  return Runner(graph, options).run(table);
}

}  // namespace npugraph
