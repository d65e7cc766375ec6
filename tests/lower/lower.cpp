// SPDX-License-Identifier: Apache-2.0
// Placement, regions, copies, events, order and memory, on mock targets.
#include "npugraph/lower/lower.h"

#include <gtest/gtest.h>

#include <random>

#include "npugraph/ir/infer.h"
#include "npugraph/lower/partition.h"
#include "tests/lower/mock_target.h"

namespace npugraph {
namespace {

const MockTarget cpu("cpu", {}, false);
const MockTarget npu("npu", {"MatMul", "Relu"}, true);

Value& apply(Graph& graph, const char* op, std::vector<Value*> inputs, const std::string& name) {
  auto node = graph.add_node("", op, name, std::move(inputs), {}, {name});
  EXPECT_TRUE(node) << node.error().message();
  const Status status = infer_node(**node);
  EXPECT_TRUE(status) << status.error().message();
  return *(*node)->output();
}

TensorType matrix(Dim rows = 4) { return {DType::kF32, Shape{std::move(rows), 4}}; }

EngineParts lower_ok(Graph& graph, std::vector<const Target*> targets, LowerOptions options = {}) {
  auto parts = lower(graph, targets, options);
  EXPECT_TRUE(parts) << parts.error().message();
  return *std::move(parts);
}

std::vector<TaskKind> kinds(const TaskPlan& plan) {
  std::vector<TaskKind> out;
  for (const Task& task : plan.blocks[0].tasks) out.push_back(task.kind);
  return out;
}

TEST(lower, a_chain_on_one_device_is_launches_only) {
  Graph graph;
  Value& x = graph.add_input("x", matrix());
  graph.add_output(apply(graph, "Relu", {&apply(graph, "Sigmoid", {&x}, "a")}, "b"));
  const EngineParts parts = lower_ok(graph, {&cpu});
  EXPECT_EQ(kinds(parts.plan), (std::vector<TaskKind>{TaskKind::kLaunch, TaskKind::kLaunch}));
  EXPECT_EQ(parts.plan.cut_edges, 0);
  EXPECT_EQ(parts.code, "Sigmoid;Relu;");
}

TEST(lower, a_graph_splits_and_copies_equal_cut_edges) {
  Graph graph;
  Value& x = graph.add_input("x", matrix());
  Value& a = apply(graph, "MatMul", {&x, &x}, "a");  // npu
  Value& b = apply(graph, "Relu", {&a}, "b");        // npu
  Value& c = apply(graph, "Sigmoid", {&b}, "c");     // cpu
  Value& d = apply(graph, "MatMul", {&c, &b}, "d");  // npu: b is there, c is copied
  graph.add_output(d);
  const EngineParts parts = lower_ok(graph, {&cpu, &npu});
  // x to npu, b to cpu, c to npu, d to cpu
  EXPECT_EQ(parts.plan.cut_edges, 4);
  EXPECT_EQ(parts.plan.task_count(TaskKind::kCopy), 4);
  EXPECT_EQ(parts.plan.task_count(TaskKind::kLaunch), 3);
  EXPECT_EQ(parts.plan.programs[0].nodes, (std::vector<std::string>{"a", "b"}));
  for (const Placement& row : parts.plan.placements) {
    EXPECT_EQ(row.reason.empty(), row.device == "npu") << row.node;
    if (row.node == "c") {
      EXPECT_EQ(row.reason, "npu: operator");
      EXPECT_EQ(row.found, "Sigmoid");
      EXPECT_EQ(row.allowed, "MatMul");
    }
  }
}

TEST(lower, a_region_never_waits_for_itself) {
  Graph graph;
  Value& x = graph.add_input("x", matrix());
  Value& a = apply(graph, "Relu", {&x}, "a");     // npu
  Value& b = apply(graph, "Sigmoid", {&a}, "b");  // cpu, between
  Value& c = apply(graph, "Relu", {&b}, "c");     // npu, must not join a
  graph.add_output(c);
  const std::vector<const Target*> targets = {&cpu, &npu};
  std::vector<Placement> placements;
  place_nodes(graph, targets, placements);
  const std::vector<Unit> units = form_units(graph, targets);
  EXPECT_EQ(units.size(), 3u);
}

/// Random graphs: every unit order is possible, every launch reads what was made before it.
TEST(lower, random_graphs_split_into_runnable_plans) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    Graph graph;
    std::vector<Value*> values = {&graph.add_input("x", matrix())};
    for (int i = 0; i < 25; ++i) {
      Value* left = values[random() % values.size()];
      Value* right = values[random() % values.size()];
      const std::string name = "n" + std::to_string(i);
      switch (random() % 4) {
        case 0:
          values.push_back(&apply(graph, "MatMul", {left, right}, name));
          break;
        case 1:
          values.push_back(&apply(graph, "Relu", {left}, name));
          break;
        case 2:
          values.push_back(&apply(graph, "Add", {left, right}, name));
          break;
        default:
          values.push_back(&apply(graph, "Sigmoid", {left}, name));
      }
    }
    graph.add_output(*values.back());
    const EngineParts parts = lower_ok(graph, {&cpu, &npu});
    EXPECT_EQ(parts.plan.task_count(TaskKind::kCopy), parts.plan.cut_edges);
    std::set<int32_t> made(parts.plan.inputs.begin(), parts.plan.inputs.end());
    for (const Task& task : parts.plan.blocks[0].tasks) {
      for (const int32_t slot : task.inputs) EXPECT_TRUE(made.contains(slot)) << task.name;
      made.insert(task.outputs.begin(), task.outputs.end());
    }
    EXPECT_TRUE(made.contains(parts.plan.outputs[0]));
  }
}

TEST(lower, in_place_reuse_needs_the_last_read) {
  Graph graph;
  Value& x = graph.add_input("x", matrix());
  Value& a = apply(graph, "Sigmoid", {&x}, "a");
  Value& b = apply(graph, "Relu", {&a}, "b");     // a is read again below: not in place
  Value& c = apply(graph, "Add", {&b, &a}, "c");  // takes over b
  Value& d = apply(graph, "Sigmoid", {&c}, "d");
  graph.add_output(d);
  const EngineParts parts = lower_ok(graph, {&cpu});
  std::map<std::string, int64_t> buffer;
  for (const Slot& slot : parts.plan.slots)
    if (slot.kind == SlotKind::kArena) buffer[slot.name] = slot.index;
  EXPECT_NE(buffer.at("a"), buffer.at("b"));
  EXPECT_EQ(buffer.at("b"), buffer.at("c"));
  EXPECT_EQ(parts.plan.buffers.size(), 2u);
}

TEST(lower, static_memory_is_placed_and_dynamic_is_left_to_prepare) {
  Graph fixed, open;
  for (Graph* graph : {&fixed, &open}) {
    const Dim rows = graph == &fixed ? Dim(4) : Dim::symbol("b");
    Value& x = graph->add_input("x", matrix(rows));
    graph->add_output(apply(*graph, "Sigmoid", {&apply(*graph, "Sigmoid", {&x}, "a")}, "b"));
  }
  const EngineParts fixed_parts = lower_ok(fixed, {&cpu}), open_parts = lower_ok(open, {&cpu});
  EXPECT_EQ(fixed_parts.plan.arena_bytes[0], 64);
  EXPECT_EQ(open_parts.plan.arena_bytes[0], -1);
  EXPECT_EQ(open_parts.plan.buffers[0].bytes[0].str(), "16*b");
}

TEST(lower, a_graph_output_is_made_by_a_node_of_its_own) {
  Graph graph;
  Value& x = graph.add_input("x", matrix());
  Value& c = graph.add_constant("c", Tensor::of_floats({1}, {1}));
  Value& a = apply(graph, "Relu", {&x}, "a");
  for (Value* value : {&x, &c, &a, &a}) graph.add_output(*value);
  const EngineParts parts = lower_ok(graph, {&cpu});
  std::set<int32_t> slots(parts.plan.outputs.begin(), parts.plan.outputs.end());
  EXPECT_EQ(slots.size(), 4u);
  EXPECT_EQ(parts.plan.slots[static_cast<size_t>(parts.plan.outputs[0])].name, "x");
}

TEST(lower, the_users_order_is_kept_or_refused) {
  const auto build = [](Graph& graph) {
    Value& x = graph.add_input("x", matrix());
    Value& a = apply(graph, "Sigmoid", {&x}, "a");
    Value& b = apply(graph, "Relu", {&x}, "b");
    graph.add_output(apply(graph, "Add", {&a, &b}, "c"));
  };
  Graph one, two, three, four;
  for (Graph* graph : {&one, &two, &three, &four}) build(*graph);
  LowerOptions options;
  options.order = {"b", "a", "c"};
  EXPECT_EQ(lower_ok(one, {&cpu}, options).plan.blocks[0].tasks[0].name, "b");
  const std::vector<const Target*> targets = {&cpu};
  options.order = {"c", "a", "b"};
  EXPECT_EQ(lower(two, targets, options).error().id, ErrorId::kBadOrder);
  options.order = {"a", "b"};
  EXPECT_EQ(lower(three, targets, options).error().id, ErrorId::kBadOrder);
  options.order = {"a", "b", "c", "nope"};
  EXPECT_EQ(lower(four, targets, options).error().id, ErrorId::kBadOrder);
}

/// Two long branches: running one to its end before the other needs less memory.
TEST(lower, an_order_with_a_lower_peak_is_found) {
  const auto build = [](Graph& graph) {
    Value& x = graph.add_input("x", {DType::kF32, Shape{1, 64}});
    std::vector<Value*> wide, narrow;
    for (int i = 0; i < 4; ++i)
      wide.push_back(&apply(graph, "Expand",
                            {&x, &graph.add_constant("s", Tensor::of_ints({64, 64}))},
                            "wide" + std::to_string(i)));
    for (int i = 0; i < 4; ++i)
      narrow.push_back(&apply(
          graph, "GlobalAveragePool",
          {&apply(graph, "Unsqueeze",
                  {wide[static_cast<size_t>(i)], &graph.add_constant("ax", Tensor::of_ints({0}))},
                  "u" + std::to_string(i))},
          "narrow" + std::to_string(i)));
    Value* sum = narrow[0];
    for (int i = 1; i < 4; ++i)
      sum = &apply(graph, "Add", {sum, narrow[static_cast<size_t>(i)]}, "sum" + std::to_string(i));
    graph.add_output(*sum);
  };
  Graph plain, searched;
  build(plain);
  build(searched);
  LowerOptions options;
  options.minimise_memory = false;
  const auto before = lower_ok(plain, {&cpu}, options).plan.peak_live_bytes[0];
  const auto after = lower_ok(searched, {&cpu}).plan.peak_live_bytes[0];
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace npugraph
