// SPDX-License-Identifier: Apache-2.0
// What became of each node of a file: read_onnx_with_survey().
#include <set>

#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

SurveyedModel survey(const Model& model) {
  const std::string bytes = model.bytes();
  auto read = read_onnx_with_survey(bytes_of(bytes));
  EXPECT_TRUE(read.has_value()) << read.error().message();
  return read ? *std::move(read) : SurveyedModel();
}

/// "Op Op" of the graph's nodes that a row of the file became; each must exist.
std::string ops_of(const SurveyedModel& model, size_t row) {
  std::string ops;
  for (const std::string& name : model.nodes.at(row).graph_nodes) {
    const Node* found = nullptr;
    const auto search = [&](const auto& self, const Graph& graph) -> void {
      for (const Node* node : graph.nodes()) {
        if (node->name() == name) found = node;
        for (const auto& [key, nested] : node->subgraphs()) self(self, *nested);
      }
    };
    search(search, *model.graph);
    EXPECT_NE(found, nullptr) << name;
    if (found != nullptr) ops += (ops.empty() ? "" : " ") + std::string(found->op());
  }
  return ops;
}

TEST(OnnxSurvey, nodes_of_one_name_or_none_are_told_apart) {
  Model model;
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "Relu", {"x"}, {"a"}).name("same");
  node(model.graph(), "Exp", {"a"}, {"b"}).name("same");
  node(model.graph(), "Neg", {"b"}, {"c"}).name("");
  node(model.graph(), "Abs", {"c"}, {"same_1"})
      .name("");  // takes the name of the second made unique
  node(model.graph(), "Sqrt", {"same_1"}, {"y"}).name("same_1");
  model.output("y");
  const SurveyedModel read = survey(model);
  ASSERT_EQ(read.nodes.size(), 5u);
  const char* const ops[] = {"Relu", "Exp", "Neg", "Abs", "Sqrt"};
  std::set<std::string> names;
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(ops_of(read, i), ops[i]);
    names.insert(read.nodes[i].graph_nodes.begin(), read.nodes[i].graph_nodes.end());
  }
  EXPECT_EQ(names.size(), 5u);
}

TEST(OnnxSurvey, an_old_form_lists_all_nodes_that_it_became_and_a_constant_none) {
  Model model(12);
  model.input("x", {{int64_t{2}, int64_t{3}, int64_t{4}}});
  node(model.graph(), "Constant", {}, {"two"}).attr("value_float", 2.0f);
  node(model.graph(), "Softmax", {"x"}, {"s"}).attr("axis", int64_t{1});  // flattened to a matrix
  node(model.graph(), "Mul", {"s", "two"}, {"y"});
  model.output("y");
  const SurveyedModel read = survey(model);
  ASSERT_EQ(read.nodes.size(), 3u);
  EXPECT_TRUE(read.nodes[0].graph_nodes.empty());
  EXPECT_GT(read.nodes[1].graph_nodes.size(), 1u);
  EXPECT_NE(ops_of(read, 1).find("Softmax"), std::string::npos);
  EXPECT_EQ(ops_of(read, 2), "Mul");
}

TEST(OnnxSurvey, a_call_lists_its_body_and_a_node_of_a_function_those_of_every_call) {
  Model model;
  model.import("my.domain", 1);
  model.input("x", {{int64_t{2}}});
  onnx::FunctionProto& inner = *model.proto.add_functions();
  inner.set_name("Inner");
  inner.set_domain("my.domain");
  inner.add_input("i");
  inner.add_output("o");
  inner.add_opset_import()->set_version(20);
  node(inner, "Exp", {"i"}, {"o"}).name("n");
  onnx::FunctionProto& outer = *model.proto.add_functions();
  outer.set_name("Outer");
  outer.set_domain("my.domain");
  outer.add_input("i");
  outer.add_output("o");
  outer.add_opset_import()->set_version(20);
  auto& own = *outer.add_opset_import();
  own.set_domain("my.domain");
  own.set_version(1);
  node(outer, "Relu", {"i"}, {"r"}).name("n");
  node(outer, "Inner", {"r"}, {"o"}).domain("my.domain").name("call");
  node(model.graph(), "Outer", {"x"}, {"a"}).domain("my.domain").name("call");
  node(model.graph(), "Outer", {"a"}, {"b"}).domain("my.domain").name("call");
  node(model.graph(), "Neg", {"b"}, {"y"}).name("n");
  model.output("y");
  const SurveyedModel read = survey(model);
  std::map<std::string, std::string> by_path;
  std::vector<std::string> calls;
  for (size_t i = 0; i < read.nodes.size(); ++i) {
    if (read.nodes[i].call) calls.push_back(ops_of(read, i));
    by_path[read.nodes[i].path] = ops_of(read, i);
  }
  EXPECT_EQ(calls, (std::vector<std::string>{"Relu Exp", "Relu Exp", "Exp Exp"}));
  EXPECT_EQ(by_path["n"], "Neg");
  EXPECT_EQ(by_path["function my.domain.Outer/n"], "Relu Relu");
  EXPECT_EQ(by_path["function my.domain.Inner/n"], "Exp Exp");
}

TEST(OnnxSurvey, nested_graphs_have_rows_of_their_own) {
  Model model;
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  model.input("x", {{int64_t{2}}});
  auto choice = node(model.graph(), "If", {"c"}, {"y"}).name("same");
  auto& then_graph = choice.graph("then_branch");
  node(then_graph, "Relu", {"x"}, {"t"}).name("same");
  then_graph.add_output()->set_name("t");
  auto& else_graph = choice.graph("else_branch");
  node(else_graph, "Exp", {"x"}, {"t"}).name("same");
  else_graph.add_output()->set_name("t");
  model.output("y");
  const SurveyedModel read = survey(model);
  ASSERT_EQ(read.nodes.size(), 3u);
  EXPECT_EQ(ops_of(read, 0), "If");
  EXPECT_EQ(ops_of(read, 1), "Relu");
  EXPECT_EQ(ops_of(read, 2), "Exp");
}

TEST(OnnxSurvey, an_unknown_operator_leaves_no_graph) {
  Model model;
  model.import("my.domain", 1);
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "Thing", {"x"}, {"y"}).domain("my.domain");
  model.output("y");
  const SurveyedModel read = survey(model);
  EXPECT_EQ(read.graph, nullptr);
  ASSERT_EQ(read.nodes.size(), 1u);
  EXPECT_FALSE(read.nodes[0].supported);
}

TEST(OnnxSurvey, the_place_of_a_deeply_nested_error_stays_short) {
  Model model;
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  onnx::GraphProto* graph = &model.graph();
  for (int level = 0; level < 12; ++level) {
    const std::string name = std::string(60, 'n') + std::to_string(level);
    auto choice = node(*graph, "If", {"c"}, {name});
    graph->add_output()->set_name(name);
    auto& else_graph = choice.graph("else_branch");
    node(else_graph, "Identity", {"c"}, {"e" + std::to_string(level)});
    else_graph.add_output()->set_name("e" + std::to_string(level));
    graph = &choice.graph("then_branch");
  }
  node(*graph, "Identity", {"missing"}, {"z"}).name("innermost");
  graph->add_output()->set_name("z");
  const auto read = model.read();
  ASSERT_FALSE(read.has_value());
  const std::string& place = read.error().place;
  EXPECT_LE(place.size(), 340u) << place;
  EXPECT_TRUE(place.starts_with("node 'n_nnn")) << place;
  EXPECT_NE(place.find("…"), std::string::npos) << place;
  EXPECT_TRUE(place.ends_with("node 'innermost'")) << place;
}

}  // namespace
}  // namespace npugraph
