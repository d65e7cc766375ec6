// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "npugraph/api/library.h"
#include "npugraph/api/optimise_graph.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/passes/dump.h"

namespace npugraph {
namespace {

/// What the passes make of a model when they stop after so many calls.
struct Prefix {
  std::vector<PassReport> reports;
  NodeLines nodes;
};

class Bisection {
 public:
  Bisection(const Library& library, const std::filesystem::path& model,
            const CompileOptions& options, const EngineJudge& is_good)
      : library_(library), model_(model), options_(options), is_good_(is_good) {
    options_.self_check = false;  // it would stop at what is looked for
    options_.dump_passes.clear();
  }

  Result<PassBisection> run() {
    NPU_LET(const Prefix whole, prefix(options_.max_pass_calls));
    PassBisection out = {.calls = static_cast<int64_t>(whole.reports.size())};
    NPU_LET(const bool is_whole_good, good(out.calls));
    if (is_whole_good) return out;
    NPU_LET(const bool is_model_good, good(0));
    if (!is_model_good)
      return fail(ErrorId::kCompareFailed, "the engine is wrong before any pass has run", {},
                  "a model that compiles to good numbers without passes",
                  "it is not a pass: see `npugraph compare --layers --opt-level 0`");
    int64_t last_good = 0, first_bad = out.calls;
    while (first_bad - last_good > 1) {
      const int64_t middle = last_good + (first_bad - last_good) / 2;
      NPU_LET(const bool is_middle_good, good(middle));
      (is_middle_good ? last_good : first_bad) = middle;
    }
    out.call = first_bad;
    out.pass_name = whole.reports[static_cast<size_t>(first_bad - 1)].name;
    NPU_LET(const Prefix before, prefix(last_good));
    NPU_LET(const Prefix after, prefix(first_bad));
    out.diff = node_diff(before.nodes, after.nodes);
    return out;
  }

 private:
  Result<Prefix> prefix(int64_t calls) const {
    NPU_LET(const std::unique_ptr<Graph> graph,
            read_onnx(model_, {.keep_inputs = options_.keep_inputs}));
    const std::vector<Pass> table = library_.state().user_passes->table();
    PassOptions how = pass_options(options_, table);
    how.max_calls = calls;
    Stages stages(options_.progress, "the search");
    NPU_LET(PassWork work, optimise_graph(*graph, options_, how, table, stages, 0, 1));
    return Prefix{std::move(work.calls), node_lines(*graph)};
  }

  Result<bool> good(int64_t calls) {
    CompileOptions options = options_;
    options.max_pass_calls = calls;
    NPU_LET(const Engine engine, compile(library_, model_, options));
    return is_good_(engine);
  }

  const Library& library_;
  const std::filesystem::path& model_;
  CompileOptions options_;
  const EngineJudge& is_good_;
};

}  // namespace

Result<PassBisection> bisect_passes(const Library& library, const std::filesystem::path& model,
                                    const EngineJudge& is_good, const CompileOptions& options) {
  return Bisection(library, model, options, is_good).run();
}

}  // namespace npugraph
