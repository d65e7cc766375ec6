// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/runner.h"

#include <algorithm>
#include <filesystem>

#include "npugraph/base/text.h"
#include "tests/passes/helpers.h"

namespace npugraph {
namespace {

constexpr std::string_view kGraph = R"(graph "g" {
  input %x: float32[2, 3]
  const %k = float32[3] [1, 2, 3]
  %a = Identity(%x)
  %b = Mul(%a, %k)
  %y = Relu(%b)
  return %y
})";

/// Reads y before it is made.
Result<int64_t> break_order(Graph& graph, const PassContext&) {
  graph.move_before(*graph.nodes().back(), *graph.nodes().front());
  return 1;
}

/// 1.001 times what it was.
Result<int64_t> break_numbers(Graph& graph, const PassContext&) {
  for (Node* node : graph.nodes()) {
    if (!node->is("Mul")) continue;
    node->set_input(1, &graph.add_constant("k", Tensor::of_floats({1.001F, 2.002F, 3.003F}, {3})));
  }
  return 1;
}

Result<int64_t> fails(Graph&, const PassContext&) { return fail(ErrorId::kInternal, "on purpose"); }

TEST(Runner, reports_each_pass_with_nodes_and_changes) {
  const std::unique_ptr<Graph> graph = parse_typed(kGraph);
  ASSERT_NE(graph, nullptr);
  const auto reports = run_passes(*graph, {});
  ASSERT_TRUE(reports) << reports.error().message();
  EXPECT_EQ(graph->node_count(), 2);
  int64_t removed = 0;
  for (const PassReport& report : *reports) {
    EXPECT_GE(report.microseconds, 0);
    if (report.name == "remove_identity") removed += report.nodes_before - report.nodes_after;
  }
  EXPECT_EQ(removed, 1);
}

TEST(Runner, leaves_out_a_pass_that_is_switched_off) {
  const std::unique_ptr<Graph> graph = parse_typed(kGraph);
  ASSERT_NE(graph, nullptr);
  PassOptions options;
  options.switches = {{"remove_identity", false}};
  const auto reports = run_passes(*graph, options);
  ASSERT_TRUE(reports) << reports.error().message();
  EXPECT_EQ(graph->node_count(), 3);
  for (const PassReport& report : *reports) EXPECT_NE(report.name, "remove_identity");
}

TEST(Runner, level_0_changes_no_node_and_a_switch_adds_a_pass) {
  const std::unique_ptr<Graph> graph = parse_typed(kGraph);
  ASSERT_NE(graph, nullptr);
  PassOptions options;
  options.opt_level = 0;
  ASSERT_TRUE(run_passes(*graph, options));
  EXPECT_EQ(graph->node_count(), 3);
  options.switches = {{"remove_identity", true}};
  ASSERT_TRUE(run_passes(*graph, options));
  EXPECT_EQ(graph->node_count(), 2);
}

TEST(Runner, refuses_an_unknown_pass_with_the_nearest_name) {
  const std::unique_ptr<Graph> graph = parse_typed(kGraph);
  ASSERT_NE(graph, nullptr);
  PassOptions options;
  options.switches = {{"remove_identities", false}};
  const auto reports = run_passes(*graph, options);
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().id, ErrorId::kBadOption);
  EXPECT_NE(reports.error().message().find("'remove_identity'"), std::string::npos);
}

TEST(Runner, refuses_a_level_outside_its_range) {
  const std::unique_ptr<Graph> graph = parse_typed(kGraph);
  ASSERT_NE(graph, nullptr);
  PassOptions options;
  options.opt_level = 4;
  const auto reports = run_passes(*graph, options);
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().id, ErrorId::kBadOption);
}

/// The error that the runner gives with `run` added to the table.
Error error_with(Result<int64_t> (*run)(Graph&, const PassContext&), bool self_check) {
  const std::unique_ptr<Graph> graph = parse_typed(kGraph);
  std::vector<Pass> table(pipeline().begin(), pipeline().end());
  Pass broken = {.name = "broken", .doc = "wrong on purpose", .run = run};
  broken.exact = false;
  table.insert(table.begin() + 3, broken);
  PassOptions options;
  options.self_check = self_check;
  auto reports = run_passes(*graph, options, table);
  EXPECT_FALSE(reports);
  return reports ? fail(ErrorId::kInternal, "no error") : std::move(reports).error();
}

TEST(Runner, verify_names_the_pass_that_broke_the_graph) {
  const Error error = error_with(break_order, false);
  EXPECT_EQ(error.id, ErrorId::kPassFailed);
  EXPECT_NE(error.message().find("'broken'"), std::string::npos) << error.message();
}

TEST(Runner, self_check_names_the_pass_that_changed_the_numbers) {
  const Error error = error_with(break_numbers, true);
  EXPECT_EQ(error.id, ErrorId::kPassChangedNumbers);
  const std::string message = error.message();
  EXPECT_NE(message.find("'broken'"), std::string::npos) << message;
  EXPECT_NE(message.find("'y'"), std::string::npos) << message;
}

TEST(Runner, passes_on_the_error_of_a_pass_with_its_name) {
  const Error error = error_with(fails, false);
  EXPECT_EQ(error.id, ErrorId::kInternal);
  EXPECT_NE(error.message().find("'broken'"), std::string::npos) << error.message();
}

TEST(Runner, dumps_the_graph_around_each_pass_that_changed_it) {
  const std::unique_ptr<Graph> graph = parse_typed(kGraph);
  ASSERT_NE(graph, nullptr);
  PassOptions options;
  options.dump_dir = std::filesystem::path(testing::TempDir()) / "npugraph_pass_dumps";
  std::filesystem::remove_all(options.dump_dir);
  const auto reports = run_passes(*graph, options);
  ASSERT_TRUE(reports) << reports.error().message();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(options.dump_dir)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  ASSERT_EQ(names.size(), 2U) << join(names);
  EXPECT_TRUE(names[0].ends_with("_remove_identity.after.txt")) << names[0];
  EXPECT_TRUE(names[1].ends_with("_remove_identity.before.txt")) << names[1];
  std::filesystem::remove_all(options.dump_dir);
}

TEST(Runner, gives_the_same_graph_every_time) {
  std::string first;
  for (int64_t i = 0; i < 2; ++i) {
    const std::unique_ptr<Graph> graph = parse_typed(kGraph);
    ASSERT_NE(graph, nullptr);
    ASSERT_TRUE(run_passes(*graph, {}));
    if (i == 0) first = print(*graph);
    EXPECT_EQ(print(*graph), first);
  }
}

}  // namespace
}  // namespace npugraph
