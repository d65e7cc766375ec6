// SPDX-License-Identifier: Apache-2.0
// Passes do not depend on their order: on each model, every pair of passes in both orders, the
// pipeline with each pass left out, backwards and shuffled give graphs that compute the same.
// NPUGRAPH_PAIR_MODELS, a ':' list of files, adds models to the ones of the repository.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/interp/interp.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"
#include "npugraph/passes/runner.h"

namespace npugraph {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSize = 32;  // of an open dim; an open batch is 1
constexpr int64_t kShuffles = 6;

std::vector<std::string> models_here() {
  std::vector<std::string> paths = {"examples/models/ultraface_rfb320.onnx",
                                    "tests/models/yolox_nano.onnx"};
  std::vector<std::string> small;
  for (const auto& entry : fs::directory_iterator("tests/models/nnsmith"))
    if (entry.path().extension() == ".onnx") small.push_back(entry.path().string());
  std::sort(small.begin(), small.end());
  paths.insert(paths.end(), small.begin(), small.end());
  return paths;
}

std::vector<std::string> models() {
  std::vector<std::string> paths = models_here();
  const char* more = std::getenv("NPUGRAPH_PAIR_MODELS");
  std::istringstream list(more == nullptr ? "" : more);
  for (std::string path; std::getline(list, path, ':');) paths.push_back(path);
  return paths;
}

/// Seeded inputs: a symbol that is some input's first dim is 1, any other kSize.
Result<std::vector<Tensor>> make_inputs(const Graph& graph) {
  Dim::Bindings bindings;
  for (const Value* input : graph.inputs()) {
    const std::vector<Dim>& dims = input->type.shape.dims();
    for (size_t axis = 0; axis < dims.size(); ++axis)
      for (const std::string& symbol : dims[axis].symbols())
        if (axis == 0) bindings[symbol] = 1;
  }
  std::vector<Tensor> tensors;
  SelfCheckOptions draw;
  for (const Value* input : graph.inputs()) {
    Dims dims;
    for (const Dim& dim : input->type.shape.dims()) {
      for (const std::string& symbol : dim.symbols()) bindings.emplace(symbol, kSize);
      NPU_LET(const int64_t number, dim.evaluate(bindings));
      dims.push_back(number);
    }
    ++draw.seed;
    NPU_LET(Tensor tensor, random_tensor(input->type.dtype, std::move(dims), draw));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// By how much of the largest number of `a` the tensors differ; infinite when their types do.
double relative_gap(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) return HUGE_VAL;
  const TensorView x = a.view(), y = b.view();
  double gap = 0, scale = 0;
  for (int64_t i = 0; i < x.elements(); ++i) {
    if (!is_float(x.dtype)) {
      if (x.load_int(i) != y.load_int(i)) return HUGE_VAL;
      continue;
    }
    const double p = x.load(i), q = y.load(i);
    if (p == q || (std::isnan(p) && std::isnan(q))) continue;
    if (!std::isfinite(p) || !std::isfinite(q)) return HUGE_VAL;
    gap = std::max(gap, std::abs(p - q));
  }
  for (int64_t i = 0; is_float(x.dtype) && i < x.elements(); ++i)
    if (std::isfinite(x.load(i))) scale = std::max(scale, std::abs(x.load(i)));
  return gap == 0 ? 0 : gap / scale;
}

Result<std::vector<Tensor>> compute(const Graph& graph, std::span<const Tensor> inputs) {
  InterpretOptions options;
  options.kernels = KernelChoice::kFast;
  return interpret(graph, inputs, options);
}

/// A model, what it computes unoptimised, and the graphs that were compared with that already.
class Bench {
 public:
  static Result<Bench> open(const std::string& path) {
    Bench bench;
    NPU_LET(bench.start_, read_onnx(fs::path(path)));
    NPU_TRY(infer_types(*bench.start_));
    NPU_LET(bench.inputs_, make_inputs(*bench.start_));
    NPU_LET(bench.outputs_, compute(*bench.start_, bench.inputs_));
    return bench;
  }

  std::unique_ptr<Graph> fresh() const { return start_->clone(); }

  /// Runs passes over the graph until they find nothing; the number of changes.
  static int64_t run(Graph& graph, std::vector<Pass> table, PassOptions options = {}) {
    options.opt_level = kMaxOptLevel;
    options.verify = false;  // expect_same() does, once for equal graphs
    const auto reports = run_passes(graph, options, table);
    EXPECT_TRUE(reports) << reports.error().message();
    int64_t changes = 0;
    if (reports)
      for (const PassReport& report : *reports) changes += report.changes;
    return changes;
  }

  /// Compares with the unoptimised model, unless an equal graph was compared before.
  void expect_same(const Graph& graph, const std::string& what) {
    if (!seen_.insert(print(graph)).second) return;
    const Status sound = verify(graph);
    ASSERT_TRUE(sound) << what << ": " << sound.error().message();
    const auto found = compute(graph, inputs_);
    ASSERT_TRUE(found) << what << ": " << found.error().message();
    ASSERT_EQ(found->size(), outputs_.size()) << what;
    for (size_t i = 0; i < found->size(); ++i) {
      const bool half = outputs_[i].dtype() == DType::kF16;
      EXPECT_LE(relative_gap(outputs_[i], (*found)[i]), half ? 4e-3 : 1e-5)
          << what << ", output '" << graph.outputs()[i]->name() << "'";
    }
  }

  size_t compared() const { return seen_.size(); }

 private:
  std::unique_ptr<Graph> start_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::set<std::string> seen_;
};

class PassOrder : public testing::TestWithParam<std::string> {};

void try_pairs(Bench& bench, const Graph& start, const std::string& place) {
  for (const Pass& first : pipeline()) {
    const std::unique_ptr<Graph> once = start.clone();
    if (Bench::run(*once, {first}) == 0) continue;  // then the pair is the second pass alone
    const std::string name = text(place, first.name);
    bench.expect_same(*once, name);
    for (const Pass& second : pipeline()) {
      const std::unique_ptr<Graph> twice = once->clone();
      if (Bench::run(*twice, {second}) == 0) continue;
      bench.expect_same(*twice, text(name, ", then ", second.name));
    }
  }
}

TEST_P(PassOrder, every_pair_in_both_orders_gives_the_same_numbers) {
  auto bench = Bench::open(GetParam());
  ASSERT_TRUE(bench) << bench.error().message();
  try_pairs(*bench, *bench->fresh(), "");
  // Fusing passes find more once the others have cleaned up.
  const std::unique_ptr<Graph> clean = bench->fresh();
  std::vector<Pass> cleanup;
  for (const Pass& pass : pipeline())
    if (pass.group == PassGroup::kCleanup) cleanup.push_back(pass);
  Bench::run(*clean, cleanup);
  try_pairs(*bench, *clean, "cleaned up, then ");
}

TEST_P(PassOrder, the_pipeline_without_one_pass_or_in_another_order_gives_the_same_numbers) {
  auto bench = Bench::open(GetParam());
  ASSERT_TRUE(bench) << bench.error().message();
  std::vector<Pass> table(pipeline().begin(), pipeline().end());
  for (const Pass& pass : pipeline()) {
    const std::unique_ptr<Graph> graph = bench->fresh();
    Bench::run(*graph, table, {.switches = {{std::string(pass.name), false}}});
    bench->expect_same(*graph, text("without ", pass.name));
  }
  std::reverse(table.begin(), table.end());
  std::mt19937 random(1);
  for (int64_t round = 0; round <= kShuffles; ++round) {
    const std::unique_ptr<Graph> graph = bench->fresh();
    Bench::run(*graph, table);
    std::string names;
    for (const Pass& pass : table) names += text(' ', pass.name);
    bench->expect_same(*graph, names);
    std::shuffle(table.begin(), table.end(), random);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, PassOrder, testing::ValuesIn(models()), [](const auto& info_) {
  std::string name = fs::path(info_.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  const bool is_added = info_.index >= models_here().size();
  return text(name, "_", info_.index, is_added ? "_added" : "");
});

}  // namespace
}  // namespace npugraph
