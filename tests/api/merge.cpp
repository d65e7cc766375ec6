// SPDX-License-Identifier: Apache-2.0
// Merged graphs keep their numbers, names that are their own, and sizes of their own.
#include "npugraph/api/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "npugraph/api/npugraph.h"
#include "npugraph/interp/interp.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"

namespace npugraph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// y = x + 1 over [b, 3], with an inner value and a node of names that others use too.
constexpr std::string_view kAddOne = R"(graph "add" {
  input %x: float32[b, 3]
  const %one = float32[] [1]
  %h = Add(%x, %one)
  %y = Identity(%h)
  return %y
})";
/// z = x * 2 over [b, 4]; the graph's inner value has the name of the other's output.
constexpr std::string_view kDouble = R"(graph "double" {
  input %x: float32[b, 4]
  const %two = float32[] [2]
  %y = Mul(%x, %two)
  %z = Identity(%y)
  return %z
})";
/// Indices of what is not 0: a size that only running tells.
constexpr std::string_view kFind = R"(graph "find" {
  input %x: float32[n]
  %found = NonZero(%x)
  return %found
})";

std::unique_ptr<Graph> graph_of(std::string_view text) {
  auto graph = parse(text);
  if (!graph) {
    ADD_FAILURE() << graph.error().message();
    return nullptr;
  }
  const Status typed = infer_types(**graph);
  EXPECT_TRUE(typed) << typed.error().message();
  return *std::move(graph);
}

std::vector<NamedGraph> named(
    std::initializer_list<std::pair<std::string, std::string_view>> rows) {
  std::vector<NamedGraph> graphs;
  for (const auto& [name, text] : rows) graphs.push_back({name, graph_of(text)});
  return graphs;
}

std::unique_ptr<Graph> merged(
    std::initializer_list<std::pair<std::string, std::string_view>> rows) {
  auto graph = merge_graphs(named(rows));
  if (!graph) {
    ADD_FAILURE() << graph.error().message();
    return nullptr;
  }
  return *std::move(graph);
}

std::vector<std::string> names_of(std::span<Value* const> values) {
  std::vector<std::string> names;
  for (const Value* value : values) names.push_back(value->name());
  return names;
}

Tensor floats(Dims dims, std::vector<float> values) {
  return *Tensor::copy(DType::kF32, std::move(dims), std::as_bytes(std::span(values)));
}

std::vector<float> floats_of(const Tensor& tensor) {
  const auto* begin = reinterpret_cast<const float*>(tensor.view().data);
  return {begin, begin + tensor.view().bytes() / 4};
}

TEST(MergeGraphs, ports_that_clash_get_the_name_of_their_model) {
  const auto graph = merged({{"a", kAddOne}, {"b", kDouble}});
  EXPECT_THAT(names_of(graph->inputs()), ElementsAre("a/x", "b/x"));
  EXPECT_THAT(names_of(graph->outputs()), ElementsAre("y", "z"));
}

TEST(MergeGraphs, nodes_and_inner_values_get_the_name_of_their_model) {
  const auto graph = merged({{"a", kAddOne}, {"b", kDouble}});
  for (const Node* node : graph->nodes())
    EXPECT_TRUE(node->name().starts_with("a/") || node->name().starts_with("b/")) << node->name();
  EXPECT_NE(graph->find_value("b/y"), nullptr);
  EXPECT_NE(graph->find_value("a/h"), nullptr);
}

TEST(MergeGraphs, one_graph_keeps_its_port_names) {
  const auto graph = merged({{"a", kAddOne}});
  EXPECT_THAT(names_of(graph->inputs()), ElementsAre("x"));
  EXPECT_THAT(names_of(graph->outputs()), ElementsAre("y"));
  EXPECT_EQ(graph->inputs()[0]->type.str(), "float32[b, 3]");
}

TEST(MergeGraphs, open_sizes_are_independent) {
  const auto graph = merged({{"a", kAddOne}, {"2 b", kDouble}});
  EXPECT_EQ(graph->inputs()[0]->type.str(), "float32[a.b, 3]");
  EXPECT_EQ(graph->inputs()[1]->type.str(), "float32[_2_b.b, 4]");
  EXPECT_EQ(graph->outputs()[1]->type.str(), "float32[_2_b.b, 4]");
}

TEST(MergeGraphs, sizes_that_only_running_tells_are_independent) {
  const auto graph = merged({{"a", kFind}, {"b", kFind}});
  ASSERT_EQ(graph->outputs().size(), 2u);
  EXPECT_TRUE(is_late(graph->outputs()[0]->type.shape));
  EXPECT_NE(graph->outputs()[0]->type, graph->outputs()[1]->type);
}

TEST(MergeGraphs, the_numbers_stay) {
  const auto graph = merged({{"a", kAddOne}, {"b", kDouble}});
  const std::vector<Tensor> inputs = {floats({1, 3}, {1, 2, 3}),
                                      floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})};
  const auto outputs = interpret(*graph, inputs, InterpretOptions{});
  ASSERT_TRUE(outputs) << outputs.error().message();
  EXPECT_THAT(floats_of((*outputs)[0]), ElementsAre(2, 3, 4));
  EXPECT_THAT(floats_of((*outputs)[1]), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

TEST(MergeGraphs, the_same_graph_may_come_twice) {
  const auto graph = merged({{"a", kAddOne}, {"b", kAddOne}, {"c", kAddOne}});
  EXPECT_THAT(names_of(graph->outputs()), ElementsAre("a/y", "b/y", "c/y"));
  EXPECT_EQ(graph->node_count(), 6);
}

TEST(MergeGraphs, names_must_tell_models_apart) {
  const auto fails_with = [](std::vector<NamedGraph> graphs, std::string_view word) {
    const auto merged = merge_graphs(std::move(graphs));
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().id, ErrorId::kBadOption);
    EXPECT_THAT(merged.error().message(), HasSubstr(std::string(word)));
  };
  fails_with({}, "nothing to merge");
  fails_with(named({{"a", kAddOne}, {"a", kDouble}}), "same name");
  fails_with(named({{"", kAddOne}}), "no name");
}

TEST(MergeGraphs, a_port_may_not_get_the_name_of_another) {
  constexpr std::string_view kOdd = R"(graph "odd" {
  input %"a/x": float32[3]
  %w = Neg(%"a/x")
  return %w
})";
  const auto graph = merge_graphs(named({{"a", kAddOne}, {"b", kDouble}, {"c", kOdd}}));
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message(), HasSubstr("'a/x'"));
}

TEST(CompileMerged, one_engine_gives_what_each_gives_apart) {
  const auto library = Library::create();
  ASSERT_TRUE(library) << library.error().message();
  const std::vector<MergedModel> models = {
      {.name = "first", .path = "tests/models/nnsmith/m001.onnx"},
      {.name = "second", .path = "tests/models/nnsmith/m002.onnx"}};
  const auto engine = merge(*library, models);
  ASSERT_TRUE(engine) << engine.error().message();
  auto session = Session::create(*library, *engine, {.threads = 1});
  ASSERT_TRUE(session) << session.error().message();
  const auto inputs = random_inputs(session->inputs(), 7);
  ASSERT_TRUE(inputs);
  std::vector<TensorView> views;
  for (const Tensor& tensor : *inputs) views.push_back(tensor.view());
  const auto together = session->run(views);
  ASSERT_TRUE(together) << together.error().message();
  size_t next_input = 0, next_output = 0;
  for (const MergedModel& model : models) {
    const auto alone = compile(*library, model.path);
    ASSERT_TRUE(alone) << alone.error().message();
    auto own = Session::create(*library, *alone, {.threads = 1});
    ASSERT_TRUE(own);
    const auto apart = own->run(std::span(views).subspan(next_input, own->inputs().size()));
    ASSERT_TRUE(apart) << apart.error().message();
    next_input += own->inputs().size();
    for (const TensorView& view : *apart) {
      const TensorView& other = (*together)[next_output++];
      ASSERT_EQ(view.dims, other.dims);
      EXPECT_EQ(std::memcmp(view.data, other.data, static_cast<size_t>(view.bytes())), 0);
    }
  }
}

TEST(CompileMerged, a_model_that_cannot_be_read_is_named) {
  const auto library = Library::create();
  const std::vector<MergedModel> models = {{.name = "gone", .path = "none.onnx"}};
  const auto engine = merge(*library, models);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().id, ErrorId::kFileNotFound);
  EXPECT_THAT(engine.error().place, HasSubstr("model 'gone'"));
}

TEST(Compile, progress_may_stop_it_before_every_pass_and_node) {
  const auto library = Library::create();
  int64_t calls = 0;
  std::set<std::string> stages;
  CompileOptions options;
  options.progress = [&](std::string_view stage, double fraction) {
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    stages.emplace(stage);
    ++calls;
    return true;
  };
  ASSERT_TRUE(compile(*library, "examples/models/ultraface_rfb320.onnx", options));
  EXPECT_GT(calls, 60);
  EXPECT_THAT(stages, ElementsAre("lowering", "optimising", "reading", "writing"));
  for (const int64_t stop : {int64_t{1}, int64_t{2}, int64_t{10}, calls / 2, calls - 2}) {
    int64_t left = stop;
    options.progress = [&](std::string_view, double) { return --left > 0; };
    const auto stopped = compile(*library, "examples/models/ultraface_rfb320.onnx", options);
    ASSERT_FALSE(stopped) << stop;
    EXPECT_EQ(stopped.error().id, ErrorId::kCancelled) << stop;
    EXPECT_EQ(left, 0) << "asked again after the answer was no";
  }
}

TEST(Session, check_finds_what_run_would_refuse_and_tells_output_dims) {
  const auto library = Library::create();
  const auto engine = compile(*library, "examples/models/ultraface_rfb320.onnx");
  ASSERT_TRUE(engine) << engine.error().message();
  auto session = Session::create(*library, *engine, {.threads = 1});
  ASSERT_TRUE(session);
  const auto inputs = random_inputs(session->inputs(), 1);
  std::vector<TensorView> views = {(*inputs)[0].view()};
  const std::vector<Dims> dims = {views[0].dims};
  const auto known = session->output_dims(dims);
  ASSERT_TRUE(known) << known.error().message();
  EXPECT_EQ((*known)[0], (Dims{1, 4420, 2}));
  EXPECT_TRUE(session->check(views, {}));
  TensorView misaligned = views[0];
  ++misaligned.data;
  const Status refused = session->check(std::span(&misaligned, 1), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, ErrorId::kMisaligned);
  EXPECT_EQ(session->counters().prepared_plans, 1);
}

}  // namespace
}  // namespace npugraph
