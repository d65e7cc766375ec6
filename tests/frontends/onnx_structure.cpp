// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

using Attr = onnx::AttributeProto;

Model relu_model() {
  Model model;
  model.input("x", {{int64_t{1}, int64_t{3}}});
  node(model.graph(), "Relu", {"x"}, {"y"});
  model.output("y");
  return model;
}

TEST(OnnxStructure, reads_a_small_model_with_its_names_and_metadata) {
  const auto graph = must_read(relu_model());
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->name(), "main");
  EXPECT_EQ(graph->inputs()[0]->name(), "x");
  EXPECT_EQ(graph->outputs()[0]->name(), "y");
  EXPECT_EQ(graph->outputs()[0]->type.str(), "float32[1, 3]");
  EXPECT_EQ(graph->nodes()[0]->name(), "n_y");
  EXPECT_EQ(graph->metadata["producer"], "tests");
  EXPECT_EQ(graph->metadata["opset"], "20");
  EXPECT_EQ(graph->metadata["ir_version"], "8");
}

TEST(OnnxStructure, dimensions_without_number_become_symbols) {
  Model model;
  model.input("x y", {{std::string("batch size"), std::monostate{}, std::string("7up")}});
  model.input("z", {{std::string("batch_size"), int64_t{4}, std::string("batch size")}});
  node(model.graph(), "Identity", {"x y"}, {"a"});
  node(model.graph(), "Identity", {"z"}, {"b"});
  model.output("a");
  model.output("b");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->inputs()[0]->type.shape.str(), "[batch_size, x_y_d1, _7up]");
  EXPECT_EQ(graph->inputs()[1]->type.shape.str(), "[batch_size_1, 4, batch_size]");
}

TEST(OnnxStructure, nodes_may_stand_in_any_order_but_not_in_a_cycle) {
  Model model;
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "Neg", {"b"}, {"c"});
  node(model.graph(), "Abs", {"a"}, {"b"});
  node(model.graph(), "Relu", {"x"}, {"a"});
  model.output("c");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->nodes()[0]->op(), "Relu");
  EXPECT_EQ(graph->nodes()[2]->op(), "Neg");

  model.graph().mutable_node(2)->set_input(0, "c");
  expect_error(model, ErrorId::kOnnxStructure, "cycle");
}

TEST(OnnxStructure, a_value_has_one_maker) {
  Model model = relu_model();
  node(model.graph(), "Abs", {"x"}, {"y"});
  expect_error(model, ErrorId::kOnnxStructure, "made twice");

  Model again = relu_model();
  again.constant<float>("y", {1}, {1.0f});
  expect_error(again, ErrorId::kOnnxStructure, "made twice");
}

TEST(OnnxStructure, a_missing_value_is_named_with_the_nearest) {
  Model model = relu_model();
  node(model.graph(), "Add", {"x", "xx"}, {"z"});
  expect_error(model, ErrorId::kOnnxStructure, "the nearest is 'x'");
  Model output = relu_model();
  output.output("nothing");
  expect_error(output, ErrorId::kOnnxStructure, "nothing makes the value 'nothing'");
}

TEST(OnnxStructure, versions_outside_the_range_are_refused) {
  for (const int64_t opset : {-1, 0, 6, 29, 1000000}) {
    Model model = relu_model();
    model.proto.mutable_opset_import(0)->set_version(opset);
    expect_error(model, ErrorId::kOnnxVersion, std::to_string(opset));
  }
  Model none = relu_model();
  none.proto.clear_opset_import();
  expect_error(none, ErrorId::kOnnxOperator, "opset");
  Model ir = relu_model();
  ir.proto.set_ir_version(99);
  expect_error(ir, ErrorId::kOnnxVersion, "99");
}

TEST(OnnxStructure, all_unknown_operators_are_listed_at_once) {
  Model model = relu_model();
  node(model.graph(), "Reluu", {"x"}, {"p"});
  node(model.graph(), "Thing", {"x"}, {"q"}).domain("my.domain");
  auto branch = node(model.graph(), "If", {"c"}, {"r"}).name("choice");
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  auto& then_graph = branch.graph("then_branch");
  node(then_graph, "Unheard", {"x"}, {"s"});
  const auto graph = model.read();
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().id, ErrorId::kOnnxOperator);
  const std::string message = graph.error().message();
  EXPECT_NE(message.find("3 nodes"), std::string::npos) << message;
  EXPECT_NE(message.find("the nearest is Relu"), std::string::npos) << message;
  EXPECT_NE(message.find("my.domain.Thing"), std::string::npos) << message;
  EXPECT_NE(message.find("'choice/then_branch/n_s'"), std::string::npos) << message;
}

TEST(OnnxStructure, survey_lists_every_node_without_failing) {
  Model model = relu_model();
  node(model.graph(), "Thing", {"x"}, {"q"}).domain("my.domain");
  node(model.graph(), "NonZero", {"x"}, {"n"});
  auto branch = node(model.graph(), "If", {"c"}, {"r"}).name("choice");
  auto& then_graph = branch.graph("then_branch");
  node(then_graph, "Constant", {}, {"s"});
  const std::string bytes = model.bytes();
  const auto nodes = survey_onnx(bytes_of(bytes));
  ASSERT_TRUE(nodes.has_value()) << nodes.error().message();
  ASSERT_EQ(nodes->size(), 5u);
  EXPECT_TRUE((*nodes)[0].supported);
  EXPECT_EQ((*nodes)[0].opset, 20);
  EXPECT_FALSE((*nodes)[1].supported);
  EXPECT_NE((*nodes)[1].reason.find("my.domain.Thing"), std::string::npos);
  EXPECT_EQ((*nodes)[2].signs.size(), 1u);
  EXPECT_EQ((*nodes)[3].op, "If");
  EXPECT_FALSE((*nodes)[3].signs.empty());
  EXPECT_EQ((*nodes)[4].path, "choice/then_branch/n_s");
  EXPECT_TRUE((*nodes)[4].supported);
}

TEST(OnnxStructure, initializers_that_are_inputs_are_constants_unless_kept) {
  Model model;
  model.input("x", {{int64_t{2}}});
  model.input("w", {{int64_t{2}}});
  model.constant<float>("w", {2}, {1.0f, 2.0f});
  node(model.graph(), "Add", {"x", "w"}, {"y"});
  model.output("y");
  const auto folded = must_read(model);
  ASSERT_NE(folded, nullptr);
  EXPECT_EQ(folded->inputs().size(), 1u);
  EXPECT_NE(folded->find_value("w")->constant(), nullptr);

  ReadOptions options;
  options.keep_inputs = {"w"};
  const auto kept = must_read(model, options);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->inputs().size(), 2u);
  options.keep_inputs = {"nope"};
  const auto wrong = model.read(options);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().id, ErrorId::kBadOption);
}

TEST(OnnxStructure, types_other_than_tensors_of_numbers_are_refused_by_name) {
  Model sequence;
  auto& info = *sequence.graph().add_input();
  info.set_name("s");
  auto& element = *info.mutable_type()->mutable_sequence_type()->mutable_elem_type();
  element.mutable_tensor_type()->set_elem_type(1);
  sequence.input("x", {{int64_t{1}}});
  node(sequence.graph(), "Relu", {"x"}, {"y"});
  sequence.output("y");
  expect_error(sequence, ErrorId::kOnnxType, "a sequence");

  Model words = relu_model();
  words.input("t", {{int64_t{1}}}, onnx::TensorProto::STRING);
  expect_error(words, ErrorId::kOnnxType, "string");

  Model number = relu_model();
  number.input("t", {{int64_t{1}}}, 777);
  expect_error(number, ErrorId::kOnnxTensor, "777");
}

TEST(OnnxStructure, negative_dimensions_are_refused) {
  Model model = relu_model();
  model.input("t", {{int64_t{-3}}});
  expect_error(model, ErrorId::kOnnxStructure, "-3");
}

TEST(OnnxStructure, a_declared_output_dtype_must_be_the_one_that_is_made) {
  Model model = relu_model();
  declare(*model.graph().mutable_output(0), "y", onnx::TensorProto::INT64, std::nullopt);
  expect_error(model, ErrorId::kDTypeMismatch, "int64");
}

TEST(OnnxStructure, absent_optional_inputs_and_outputs) {
  Model model;
  model.input("x", {{int64_t{2}, int64_t{3}}});
  model.constant<float>("high", {}, {1.0f});
  node(model.graph(), "Clip", {"x", "", "high"}, {"y"});
  model.output("y");
  const Tensor x = Tensor::of_floats({-5, 0, 0.5f, 1, 2, 3}, {2, 3});
  EXPECT_EQ(run_floats(model, {{"x", x}}), (std::vector<float>{-5, 0, 0.5f, 1, 1, 1}));
}

TEST(OnnxStructure, an_absent_output_takes_no_name_of_the_file) {
  Model model;
  model.input("x", {{int64_t{1}, int64_t{1}, int64_t{2}}});
  model.constant<float>("w", {1, 12, 2}, std::vector<float>(24, 0.5f));
  model.constant<float>("r", {1, 12, 3}, std::vector<float>(36, 0.5f));
  node(model.graph(), "LSTM", {"x", "w", "r"}, {"", "h"}).attr("hidden_size", int64_t{3}).name("");
  model.output("h");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->outputs()[0]->name(), "h");
  EXPECT_EQ(graph->outputs()[0]->output_index(), 1);
}

TEST(OnnxStructure, constant_nodes_in_all_forms) {
  Model model;
  node(model.graph(), "Constant", {}, {"f"}).attr("value_float", 1.5f);
  node(model.graph(), "Constant", {}, {"fs"}).attr("value_floats", std::vector<float>{1, 2});
  node(model.graph(), "Constant", {}, {"i"}).attr("value_int", int64_t{7});
  node(model.graph(), "Constant", {}, {"is"}).attr("value_ints", std::vector<int64_t>{3, 4, 5});
  auto& whole = node(model.graph(), "Constant", {}, {"t"}).raw_attr("value");
  whole.set_type(Attr::TENSOR);
  fill(*whole.mutable_t(), "", {2, 1}, std::vector<float>{8, 9});
  auto& sparse = node(model.graph(), "Constant", {}, {"s"}).raw_attr("sparse_value");
  sparse.set_type(Attr::SPARSE_TENSOR);
  auto& tensor = *sparse.mutable_sparse_tensor();
  fill(*tensor.mutable_values(), "", {2}, std::vector<float>{5, 6});
  fill(*tensor.mutable_indices(), "", {2, 2}, std::vector<int64_t>{0, 1, 1, 0});
  tensor.add_dims(2);
  tensor.add_dims(2);
  for (const char* name : {"f", "fs", "i", "is", "t", "s"}) model.output(name);

  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->node_count(), 0);
  const auto constant = [&](size_t index) { return *graph->outputs()[index]->constant(); };
  EXPECT_EQ(constant(0).dims(), Dims{});
  EXPECT_EQ(floats_of(constant(0)), std::vector<float>{1.5f});
  EXPECT_EQ(floats_of(constant(1)), (std::vector<float>{1, 2}));
  EXPECT_EQ(constant(2).view().load_int(0), 7);
  EXPECT_EQ(constant(3).dims(), Dims{3});
  EXPECT_EQ(constant(3).view().load_int(2), 5);
  EXPECT_EQ(floats_of(constant(4)), (std::vector<float>{8, 9}));
  EXPECT_EQ(floats_of(constant(5)), (std::vector<float>{0, 5, 6, 0}));

  node(model.graph(), "Constant", {}, {"w"}).attr("value_string", "word");
  expect_error(model, ErrorId::kOnnxType, "value_string");
}

TEST(OnnxStructure, if_branches_read_the_values_around_them) {
  Model model;
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  model.input("x", {{int64_t{2}}});
  auto choice = node(model.graph(), "If", {"c"}, {"y"}).name("choice");
  auto& then_graph = choice.graph("then_branch");
  node(then_graph, "Relu", {"x"}, {"late"});  // a name that the outer graph gives later as well
  then_graph.add_output()->set_name("late");
  auto& else_graph = choice.graph("else_branch");
  else_graph.add_output()->set_name("x");
  node(model.graph(), "Neg", {"y"}, {"late"});
  model.output("late");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  const Node& node_if = *graph->nodes()[0];
  ASSERT_EQ(node_if.op(), "If");
  EXPECT_EQ(node_if.output()->type.str(), "float32[2]");
  EXPECT_EQ(node_if.subgraph("then_branch")->nodes()[0]->input(0), graph->find_value("x"));
  EXPECT_EQ(node_if.subgraph("else_branch")->nodes()[0]->op(), "Identity");
  EXPECT_EQ(graph->outputs()[0]->name(), "late");
  EXPECT_NE(node_if.subgraph("then_branch")->outputs()[0]->name(), "late");

  model.graph().mutable_node(0)->mutable_attribute()->DeleteSubrange(1, 1);
  expect_error(model, ErrorId::kOnnxAttribute, "else_branch");
}

TEST(OnnxStructure, a_loop_carries_values_and_stacks_scans) {
  Model model;
  model.input("x", {{int64_t{3}}});
  model.constant<int64_t>("count", {}, {4});
  auto loop = node(model.graph(), "Loop", {"count", "", "x"}, {"last", "all"}).name("loop");
  auto& body = loop.graph("body");
  declare(*body.add_input(), "i", onnx::TensorProto::INT64, std::vector<Declared>{});
  declare(*body.add_input(), "go", onnx::TensorProto::BOOL, std::vector<Declared>{});
  body.add_input()->set_name("v");  // no type: it is the type of what is carried
  node(body, "Identity", {"go"}, {"go_on"});
  node(body, "Add", {"v", "x"}, {"v2"});
  node(body, "Identity", {"v2"}, {"scan"});
  for (const char* name : {"go_on", "v2", "scan"}) body.add_output()->set_name(name);
  model.output("last");
  model.output("all");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->outputs()[0]->type.str(), "float32[3]");
  EXPECT_EQ(graph->outputs()[1]->type.shape.rank(), 2);
}

onnx::FunctionProto& add_function(Model& model, const std::string& name,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs) {
  auto& function = *model.proto.add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const auto& input : inputs) function.add_input(input);
  for (const auto& output : outputs) function.add_output(output);
  auto& import = *function.add_opset_import();
  import.set_domain("");
  import.set_version(20);
  auto& local = *function.add_opset_import();
  local.set_domain("local");
  local.set_version(1);
  return function;
}

TEST(OnnxStructure, functions_are_inlined_with_their_attributes) {
  Model model;
  model.import("local", 1);
  auto& inner = add_function(model, "Scale", {"a", "b"}, {"c"});
  inner.add_attribute("slope");
  auto& fallback = *inner.add_attribute_proto();
  fallback.set_name("shift");
  set_attr(fallback, 10.0f);
  node(inner, "LeakyRelu", {"a"}, {"t"}).refer("alpha", "slope", Attr::FLOAT);
  node(inner, "Constant", {}, {"k"}).refer("value_float", "shift", Attr::FLOAT);
  node(inner, "Add", {"t", "k"}, {"u"});
  node(inner, "Clip", {"u", "b"}, {"c"});  // b may be absent
  auto& outer = add_function(model, "Twice", {"a"}, {"c"});
  outer.add_attribute("slope");
  node(outer, "Scale", {"a"}, {"m"}).domain("local").refer("slope", "slope", Attr::FLOAT);
  node(outer, "Scale", {"m"}, {"c"}).domain("local").attr("slope", 0.5f).attr("shift", 1.0f);
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "Twice", {"x"}, {"y"}).domain("local").attr("slope", 0.25f).name("call");
  model.output("y");

  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->node_count(), 6);
  EXPECT_EQ(graph->outputs()[0]->name(), "y");
  const auto results = run_reference(*graph, {{"x", Tensor::of_floats({-80, 4}, {2})}});
  // leaky(-80, 0.25) + 10 = -10; leaky(-10, 0.5) + 1 = -4.   4 + 10 + 1 = 15.
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(floats_of(results[0]), (std::vector<float>{-4, 15}));
}

TEST(OnnxStructure, a_function_that_calls_itself_is_refused) {
  Model model;
  model.import("local", 1);
  auto& function = add_function(model, "Again", {"a"}, {"b"});
  node(function, "Again", {"a"}, {"b"}).domain("local");
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "Again", {"x"}, {"y"}).domain("local");
  model.output("y");
  expect_error(model, ErrorId::kOnnxStructure, "calls itself");
}

TEST(OnnxStructure, functions_that_multiply_are_refused_in_bounded_time) {
  Model model;
  model.import("local", 1);
  for (int level = 0; level < 12; ++level) {
    auto& function = add_function(model, "F" + std::to_string(level), {"a"}, {"b"});
    for (int i = 0; i < 10; ++i) {
      const std::string from = i == 0 ? "a" : "t" + std::to_string(i - 1);
      const std::string to = i == 9 ? "b" : "t" + std::to_string(i);
      if (level == 0) {
        node(function, "Relu", {from}, {to});
      } else {
        node(function, "F" + std::to_string(level - 1), {from}, {to}).domain("local");
      }
    }
  }
  model.input("x", {{int64_t{2}}});
  node(model.graph(), "F11", {"x"}, {"y"}).domain("local");  // 10^12 nodes
  model.output("y");
  const std::string bytes = model.bytes();
  ReadOptions options;
  options.max_nodes = 2000;
  const auto graph = read_onnx(bytes_of(bytes), options);
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().id, ErrorId::kOnnxStructure);
  EXPECT_NE(graph.error().message().find("2000"), std::string::npos) << graph.error().message();
}

TEST(OnnxStructure, nesting_without_end_is_refused) {
  Model model;
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  onnx::GraphProto* graph = &model.graph();
  for (int level = 0; level < 25; ++level) {
    auto choice = node(*graph, "If", {"c"}, {"y" + std::to_string(level)});
    auto& else_graph = choice.graph("else_branch");
    node(else_graph, "Identity", {"c"}, {"e" + std::to_string(level)});
    else_graph.add_output()->set_name("e" + std::to_string(level));
    onnx::GraphProto& then_graph = choice.graph("then_branch");
    graph->add_output()->set_name("y" + std::to_string(level));
    graph = &then_graph;
  }
  node(*graph, "Identity", {"c"}, {"z"});
  graph->add_output()->set_name("z");
  expect_error(model, ErrorId::kOnnxStructure, "nested too deeply");
}

TEST(OnnxStructure, an_error_names_the_node_with_the_graphs_around_it) {
  Model model;
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  auto choice = node(model.graph(), "If", {"c"}, {"y"}).name("choice");
  auto& then_graph = choice.graph("then_branch");
  node(then_graph, "Relu", {"gone"}, {"t"}).name("inner");
  then_graph.add_output()->set_name("t");
  model.output("y");
  const auto graph = model.read();
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().place, "node 'choice': then_branch: node 'inner'");
}

TEST(OnnxStructure, names_are_checked) {
  Model model = relu_model();
  model.graph().mutable_node(0)->set_name(std::string(5000, 'n'));
  expect_error(model, ErrorId::kOnnxStructure, "too long");
  Model binary = relu_model();
  binary.graph().mutable_node(0)->set_name("\xff\xfe");
  expect_error(binary, ErrorId::kOnnxStructure, "not UTF-8");
}

TEST(OnnxStructure, metadata_is_utf8_whatever_the_file_says) {
  Model model = relu_model();
  model.import("a\xc3", 1);  // the first half of a letter
  model.proto.set_producer_name("\xff");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->metadata["producer"], "?");
  EXPECT_EQ(graph->metadata["opset.a?"], "1");
}

TEST(OnnxStructure, an_output_may_be_listed_twice_or_be_an_input) {
  Model model = relu_model();
  model.output("y");
  model.output("x");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  ASSERT_EQ(graph->outputs().size(), 3u);
  EXPECT_EQ(graph->outputs()[2], graph->inputs()[0]);
}

}  // namespace
}  // namespace npugraph
