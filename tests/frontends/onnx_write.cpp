// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/write.h"

#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

onnx::ModelProto must_write(const Graph& graph) {
  onnx::ModelProto model;
  const auto bytes = write_onnx(graph);
  if (!bytes) {
    ADD_FAILURE() << bytes.error().message();
  } else {
    EXPECT_TRUE(model.ParseFromString(*bytes));
  }
  return model;
}

TEST(OnnxWrite, names_types_and_weights_are_kept) {
  Model model(9);
  model.input("x", {{std::string("n"), int64_t{2}}});
  model.constant<float>("w", {2}, {1, 2});
  node(model.graph(), "Mul", {"x", "w"}, {"t"});
  node(model.graph(), "Clip", {"t"}, {"y"}).attr("max", 3.0f);
  model.output("y");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  const onnx::ModelProto out = must_write(*graph);
  EXPECT_EQ(out.opset_import(0).version(), 20);
  EXPECT_EQ(out.ir_version(), 9);
  ASSERT_EQ(out.graph().node_size(), 2);
  EXPECT_EQ(out.graph().node(0).name(), "n_t");
  EXPECT_EQ(out.graph().node(1).input_size(), 3);
  EXPECT_EQ(out.graph().node(1).input(1), "");
  EXPECT_EQ(out.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "n");

  const auto again = read_onnx(bytes_of(*write_onnx(*graph)));
  ASSERT_TRUE(again.has_value()) << again.error().message();
  const Tensor x = Tensor::of_floats({1, 1, 4, 0.5f}, {2, 2});
  const auto results = run_reference(**again, {{"x", x}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(floats_of(results[0]), (std::vector<float>{1, 2, 3, 1}));
}

TEST(OnnxWrite, nested_graphs_come_back) {
  Model model;
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  model.input("x", {{int64_t{2}}});
  auto choice = node(model.graph(), "If", {"c"}, {"y"}).name("choice");
  auto& then_graph = choice.graph("then_branch");
  node(then_graph, "Relu", {"x"}, {"t"});
  then_graph.add_output()->set_name("t");
  auto& else_graph = choice.graph("else_branch");
  node(else_graph, "Neg", {"x"}, {"e"});
  else_graph.add_output()->set_name("e");
  model.output("y");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  const auto again = read_onnx(bytes_of(*write_onnx(*graph)));
  ASSERT_TRUE(again.has_value()) << again.error().message();
  const Node& node_if = *(*again)->nodes()[0];
  EXPECT_EQ(node_if.subgraph("then_branch")->nodes()[0]->op(), "Relu");
  EXPECT_EQ(node_if.subgraph("else_branch")->nodes()[0]->op(), "Neg");
}

TEST(OnnxWrite, a_newer_operator_raises_the_opset) {
  Model model(23);
  model.input("x", {{int64_t{1}, int64_t{2}}});
  model.constant<float>("s", {2}, {1, 1});
  node(model.graph(), "RMSNormalization", {"x", "s"}, {"y"});
  model.output("y");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  const onnx::ModelProto out = must_write(*graph);
  EXPECT_EQ(out.opset_import(0).version(), 23);
  EXPECT_EQ(out.ir_version(), 11);
}

TEST(OnnxWrite, attributes_that_the_written_opset_lacks_are_left_out) {
  Model model;
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "Cast", {"x"}, {"y"}).attr("to", int64_t{onnx::TensorProto::INT32});
  model.output("y");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  const onnx::ModelProto out = must_write(*graph);
  for (const auto& attribute : out.graph().node(0).attribute())
    EXPECT_NE(attribute.name(), "round_mode");
}

TEST(OnnxWrite, an_output_listed_twice_is_copied) {
  Model model;
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "Relu", {"x"}, {"y"});
  model.output("y");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  graph->add_output(*graph->outputs()[0]);
  const onnx::ModelProto out = must_write(*graph);
  ASSERT_EQ(out.graph().output_size(), 2);
  EXPECT_NE(out.graph().output(0).name(), out.graph().output(1).name());
  EXPECT_EQ(out.graph().node(1).op_type(), "Identity");
}

TEST(OnnxWrite, operators_of_our_own_are_refused_by_name) {
  Graph graph("g");
  Value& x = graph.add_input("x", {DType::kF32, Shape{Dim(2), Dim(3)}});
  const auto fused = graph.add_node("npugraph", "FusedGemm", "fused", {&x, &x}, {}, {"y"});
  ASSERT_TRUE(fused.has_value()) << fused.error().message();
  graph.add_output(*(*fused)->output());
  const auto bytes = write_onnx(graph);
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().id, ErrorId::kOnnxWrite);
  EXPECT_EQ(bytes.error().place, "node 'fused'");
}

}  // namespace
}  // namespace npugraph
