// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/runner.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"
#include "npugraph/passes/dump.h"
#include "npugraph/passes/pattern.h"
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

/// Other numbers only where a mask hides a key.
Result<int64_t> break_masks(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    if (!node->is("Add")) continue;
    Value& low = graph.add_constant("low", Tensor::of_floats({-1.5F}, {1}));
    NPU_LET(Node* const made,
            graph.add_node("", "Max", "max", {node->input(1), &low}, {}, {"max"}, node));
    NPU_TRY(infer_node(*made));
    node->set_input(1, made->output());
    ++changes;
  }
  return changes;
}

Result<int64_t> fails(Graph&, const PassContext&) { return fail(ErrorId::kInternal, "on purpose"); }

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

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
Error error_with(Result<int64_t> (*run)(Graph&, const PassContext&), bool self_check,
                 std::string_view model = kGraph) {
  const std::unique_ptr<Graph> graph = parse_typed(model);
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

TEST(Runner, self_check_hides_keys_of_a_softmax) {
  const Error error = error_with(break_masks, true, R"(graph "g" {
    input %mask: float32[2, 3]
    input %x: float32[2, 3]
    %a = Add(%x, %mask)
    %y = Softmax(%a)
    return %y
  })");
  EXPECT_EQ(error.id, ErrorId::kPassChangedNumbers) << error.message();
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
  ASSERT_EQ(names.size(), 4U) << join(names);
  EXPECT_TRUE(names[0].ends_with("_remove_identity.after.txt")) << names[0];
  EXPECT_TRUE(names[1].ends_with("_remove_identity.before.txt")) << names[1];
  EXPECT_TRUE(names[2].ends_with("_remove_identity.diff.txt")) << names[2];
  EXPECT_EQ(names[3], "index.txt");
  EXPECT_EQ(read_text(options.dump_dir / names[2]),
            "removed  Identity  a\n"
            "changed  Mul  b\n");
  const std::string index = read_text(options.dump_dir / names[3]);
  EXPECT_NE(index.find(names[0].substr(0, 3) + "  remove_identity  1  3  2\n"), std::string::npos)
      << index;
  std::filesystem::remove_all(options.dump_dir);
}

TEST(Runner, a_dump_replaces_an_earlier_one_and_nothing_else) {
  PassOptions options;
  options.dump_dir = std::filesystem::path(testing::TempDir()) / "npugraph_new" / "pass_dumps";
  std::filesystem::remove_all(options.dump_dir);
  ASSERT_TRUE(run_passes(*parse_typed(kGraph), options));
  std::ofstream(options.dump_dir / "007.txt") << "mine";
  std::ofstream(options.dump_dir / "12_relu.diff.txt") << "mine";
  options.opt_level = 0;  // changes nothing
  ASSERT_TRUE(run_passes(*parse_typed(kGraph), options));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(options.dump_dir))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(join(names), "007.txt, 12_relu.diff.txt, index.txt");
  EXPECT_EQ(read_text(options.dump_dir / "index.txt"),
            "call  pass  changes  nodes before  nodes after\n");

  options.dump_dir /= "007.txt";
  for (const char* const name : {"", "below"}) {
    PassOptions impossible = options;
    impossible.dump_dir /= name;
    const auto reports = run_passes(*parse_typed(kGraph), impossible);
    ASSERT_FALSE(reports) << impossible.dump_dir;
    EXPECT_EQ(reports.error().id, ErrorId::kFileWrite);
  }
  std::filesystem::remove_all(options.dump_dir.parent_path());
}

TEST(Runner, passes_that_never_end_are_an_error_that_names_them) {
  const auto swap = [](const char* name, const char* from, const char* to, PassGroup group) {
    const Rewrites rewrites({Rewrite{text("y = ", from, "(x)"), text("y = ", to, "(x)")}});
    return Pass{
        .name = name,
        .doc = "",
        .run = [rewrites](Graph& graph, const PassContext&) { return rewrites.apply(graph); },
        .group = group};
  };
  for (const PassGroup group : {PassGroup::kCleanup, PassGroup::kFuse}) {
    const std::vector<Pass> table = {swap("ping", "Relu", "Abs", group),
                                     swap("still", "Neg", "Exp", group),
                                     swap("pong", "Abs", "Relu", group)};
    const auto reports = run_passes(*parse_typed(kGraph), {}, table);
    ASSERT_FALSE(reports);
    EXPECT_EQ(reports.error().id, ErrorId::kPassFailed);
    EXPECT_NE(reports.error().what.find("'ping', 'pong'"), std::string::npos)
        << reports.error().message();

    const Rewrites twice(std::vector<Rewrite>{{"y = Relu(x)", "y = Relu(Relu(x))"}});
    std::vector<Pass> growing = {swap("grows", "Neg", "Exp", group)};
    growing[0].run = [twice](Graph& graph, const PassContext&) { return twice.apply(graph); };
    const std::unique_ptr<Graph> graph = parse_typed(kGraph);
    const auto grown = run_passes(*graph, {}, growing);
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().id, ErrorId::kPassFailed);
    EXPECT_NE(grown.error().message().find("pass 'grows'"), std::string::npos);
    EXPECT_LT(graph->node_count(), 3000);
  }
}

TEST(Runner, stops_after_the_calls_that_are_asked_for) {
  const std::unique_ptr<Graph> whole = parse_typed(kGraph);
  const auto all = run_passes(*whole, {});
  ASSERT_TRUE(all);
  int64_t call = 0;
  while ((*all)[static_cast<size_t>(call)].name != "remove_identity") ++call;
  for (const int64_t calls : {call, call + 1}) {
    const std::unique_ptr<Graph> graph = parse_typed(kGraph);
    PassOptions options;
    options.max_calls = calls;
    const auto some = run_passes(*graph, options);
    ASSERT_TRUE(some);
    EXPECT_EQ(static_cast<int64_t>(some->size()), calls);
    EXPECT_EQ(graph->node_count(), calls == call ? 3 : 2);
  }
}

TEST(NodeDiff, says_what_is_gone_other_and_new) {
  const std::unique_ptr<Graph> before = parse_typed(R"(graph "g" {
    input %x: float32[4]
    %s = Sigmoid(%x)
    %y = Mul(%x, %s)
    %z = Relu(%y)
    return %z
  })");
  const std::unique_ptr<Graph> after = parse_typed(R"(graph "g" {
    input %x: float32[4]
    %t = Swish(%x)
    %y = Abs(%t)
    %z = Relu(%t)
    return %z, %y
  })");
  EXPECT_EQ(node_diff(node_lines(*before), node_lines(*after)),
            "removed  Sigmoid  s\n"
            "changed  Mul -> Abs  y\n"
            "changed  Relu  z\n"
            "added    Swish  t\n");
  EXPECT_EQ(node_diff(node_lines(*before), node_lines(*before)), "");
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
