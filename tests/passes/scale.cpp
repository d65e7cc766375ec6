// SPDX-License-Identifier: Apache-2.0
// Large graphs end: with a pass whose time grows with the square of the nodes these tests would run
// into the runner's time limit, by far.
#include "npugraph/base/text.h"
#include "tests/passes/helpers.h"

namespace npugraph {
namespace {

constexpr int64_t kNodes = 20000;

Node& add(Graph& graph, std::string_view op, std::vector<Value*> inputs, Attrs attrs = {}) {
  auto node = graph.add_node("", op, "", std::move(inputs), std::move(attrs), {""});
  EXPECT_TRUE(node) << node.error().message();
  return **node;
}

Attrs with(std::string name, AttrValue value) {
  Attrs attrs;
  attrs.set(std::move(name), std::move(value));
  return attrs;
}

/// Runs the whole pipeline and checks what it leaves.
void optimise(Graph& graph) {
  ASSERT_TRUE(infer_types(graph));
  PassOptions options;
  options.verify = false;
  const auto reports = run_passes(graph, options);
  ASSERT_TRUE(reports) << reports.error().message();
  const Status sound = verify(graph);
  EXPECT_TRUE(sound) << sound.error().message();
}

TEST(PassScale, equal_nodes_into_one_concat) {
  Graph graph;
  Value& x = graph.add_input("x", {DType::kF32, {Dim(2), Dim(2)}});
  std::vector<Value*> pieces;
  for (int64_t i = 0; i < kNodes; ++i) pieces.push_back(add(graph, "Relu", {&x}).output());
  graph.add_output(*add(graph, "Concat", pieces, with("axis", int64_t{0})).output());
  optimise(graph);
  EXPECT_EQ(graph.node_count(), 2);
}

TEST(PassScale, split_and_concat) {
  Graph graph;
  constexpr int64_t kParts = 4000;
  Value& x = graph.add_input("x", {DType::kF32, {Dim(kParts), Dim(2)}});
  Attrs attrs = with("axis", int64_t{0});
  attrs.set("num_outputs", kParts);
  auto split = graph.add_node("", "Split", "", {&x}, std::move(attrs),
                              std::vector<std::string>(static_cast<size_t>(kParts)));
  ASSERT_TRUE(split) << split.error().message();
  std::vector<Value*> pieces((*split)->outputs().begin(), (*split)->outputs().end());
  Value* const joined = add(graph, "Concat", pieces, with("axis", int64_t{0})).output();
  graph.add_output(*add(graph, "Relu", {joined}).output());
  optimise(graph);
  EXPECT_EQ(graph.node_count(), 1);
}

TEST(PassScale, chain_of_concats) {
  Graph graph;
  Value& x = graph.add_input("x", {DType::kF32, {Dim(1), Dim(2)}});
  Value* value = &x;
  for (int64_t i = 0; i < kNodes / 4; ++i) {
    value = add(graph, "Concat", {value, &x}, with("axis", int64_t{0})).output();
  }
  graph.add_output(*value);
  optimise(graph);
  EXPECT_EQ(graph.node_count(), 1);
}

TEST(PassScale, layouts_that_change_back_and_forth) {
  Graph graph;
  Value& x = graph.add_input("x", {DType::kF32, {Dim::symbol("b"), Dim(2), Dim(2), Dim(2)}});
  Value& weights = graph.add_constant("w", Tensor::of_floats({1, 2, 3, 4}, {2, 2, 1, 1}));
  Value& bias = graph.add_constant("b", Tensor::of_floats({1, 2}, {2}));
  Value* value = &x;
  for (int64_t i = 0; i < kNodes / 8; ++i) {
    value = add(graph, "Conv", {value, &weights}).output();
    value = add(graph, "Transpose", {value}, with("perm", Ints{0, 2, 3, 1})).output();
    value = add(graph, "Add", {value, &bias}).output();
    Value* const turned = add(graph, "Relu", {value}).output();
    value = add(graph, "Mul", {turned, value}).output();
    value = add(graph, "Transpose", {value}, with("perm", Ints{0, 3, 1, 2})).output();
    value = add(graph, "Cast", {value}, with("to", int64_t{11})).output();
    value = add(graph, "Cast", {value}, with("to", int64_t{1})).output();
  }
  graph.add_output(*value);
  optimise(graph);
  EXPECT_EQ(count_nodes(graph, "Transpose"), 0);
  EXPECT_EQ(count_nodes(graph, "Cast"), 0);
}

TEST(PassScale, one_region_with_many_readers) {
  Graph graph;
  Value& x = graph.add_input("x", {DType::kF32, {Dim(2), Dim(3)}});
  Value* const turned = add(graph, "Transpose", {&x}, with("perm", Ints{1, 0})).output();
  std::vector<Value*> back;
  for (int64_t i = 0; i < kNodes / 4; ++i) {
    Value* const sum = add(graph, "LeakyRelu", {turned},
                           with("alpha", static_cast<double>(i) / static_cast<double>(kNodes)))
                           .output();
    Value* const each = add(graph, "Neg", {sum}).output();
    back.push_back(add(graph, "Transpose", {each}, with("perm", Ints{1, 0})).output());
  }
  graph.add_output(*add(graph, "Concat", back, with("axis", int64_t{0})).output());
  optimise(graph);
  EXPECT_EQ(count_nodes(graph, "Transpose"), 0);
}

}  // namespace
}  // namespace npugraph
