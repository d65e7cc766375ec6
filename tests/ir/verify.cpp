// SPDX-License-Identifier: Apache-2.0
// Graphs broken by hand, each in one way.
#include <functional>

#include "tests/ir/helpers.h"

namespace npugraph {
namespace {

constexpr std::string_view kText = R"(graph {
  input %c: bool[]
  input %m: int64[]
  input %x: float32[n, 2]
  input %k: int64[4]
  const %w = float32[2, 3] [1, 2, 3, 4, 5, 6]
  %a: float32[n, 2] = Relu(%x)
  %p: float32[n, 3] = MatMul(%a, %w)
  %s: float32[n, 3] = Softmax(%p)
  %y: float32[n, 3] = If(%c)
    with then_branch {
      %t: float32[n, 3] = Neg(%s)
      return %t
    }
    with else_branch {
      %e: float32[n, 3] = Abs(%s)
      return %e
    }
  %z: float32[n, 3] = Loop(%m, -, %y)
    with body {
      input %i: int64[]
      input %go: bool[]
      input %v: float32[n, 3]
      %r: float32[n, 3] = Exp(%v)
      return %go, %r
    }
  return %z
})";

struct Broken {
  std::string_view name;
  std::function<void(Graph&)> damage;
  std::string_view place;  // what the message must name
};

Value& value(Graph& graph, std::string_view name) { return *graph.find_value(name); }
Node& node(Graph& graph, std::string_view name) { return *graph.find_node(name); }

TensorType type(std::string_view shape, DType dtype = DType::kF32) {
  return {dtype, *Shape::parse(shape)};
}

const std::vector<Broken>& cases() {
  const auto elsewhere = std::make_shared<Graph>();
  static const std::vector<Broken> list = {
      {"read_before_made", [](Graph& g) { g.move_before(node(g, "p"), node(g, "a")); }, "node 'p'"},
      {"cycle", [](Graph& g) { node(g, "a").set_input(0, &value(g, "s")); }, "node 'a'"},
      {"missing_input", [](Graph& g) { node(g, "p").set_input(1, nullptr); }, "node 'p'"},
      {"too_many_inputs", [](Graph& g) { node(g, "a").add_input(&value(g, "x")); }, "node 'a'"},
      {"wrong_dtype", [](Graph& g) { node(g, "s").set_input(0, &value(g, "k")); }, "node 's'"},
      {"mixed_dtypes", [](Graph& g) { node(g, "p").set_input(1, &value(g, "k")); }, "node 'p'"},
      {"type_of_other_rank", [](Graph& g) { value(g, "s").type = type("[n]"); }, "'s'"},
      {"type_of_other_size", [](Graph& g) { value(g, "p").type = type("[n, 4]"); }, "'p'"},
      {"type_of_other_dtype", [](Graph& g) { value(g, "a").type = type("[n, 2]", DType::kF64); },
       "'a'"},
      {"constant_of_other_type", [](Graph& g) { value(g, "w").type = type("[3, 2]"); }, "'w'"},
      {"content_of_other_length",
       [](Graph& g) { value(g, "k").content = std::vector<Dim>{Dim(1)}; }, "'k'"},
      {"content_without_type",
       [](Graph& g) {
         value(g, "k").content = std::vector<Dim>(4, Dim(1));
         value(g, "k").has_type = false;
       },
       "'k'"},
      {"reads_inside_from_outside",
       [](Graph& g) {
         Value* inner = node(g, "y").subgraph("then_branch")->find_value("t");
         node(g, "z").set_input(2, inner);
       },
       "node 'z'"},
      {"reads_a_sibling_branch",
       [](Graph& g) {
         Value* inner = node(g, "y").subgraph("then_branch")->find_value("t");
         node(g, "y").subgraph("else_branch")->find_node("e")->set_input(0, inner);
       },
       "node 'y': else_branch: node 'e'"},
      {"reads_its_own_result_inside",
       [](Graph& g) {
         node(g, "y").subgraph("then_branch")->find_node("t")->set_input(0, &value(g, "y"));
       },
       "node 't'"},
      {"output_from_inside",
       [](Graph& g) { g.set_output(0, *node(g, "z").subgraph("body")->find_value("r")); },
       "output 0"},
      {"reads_another_graph",
       [elsewhere](Graph& g) {
         node(g, "a").set_input(0, &elsewhere->add_input("far", type("[2, 2]")));
       },
       "node 'a'"},
      {"branch_without_output",
       [](Graph& g) { node(g, "y").subgraph("then_branch")->clear_outputs(); }, "then_branch"},
      {"branch_with_input",
       [](Graph& g) { node(g, "y").subgraph("else_branch")->add_input("extra", type("[2]")); },
       "else_branch"},
      {"branch_of_other_dtype",
       [](Graph& g) { node(g, "y").subgraph("then_branch")->set_output(0, value(g, "k")); },
       "then_branch"},
      {"loop_with_more_carried_values_than_inputs",
       [](Graph& g) { node(g, "z").add_input(&value(g, "x")); }, "node 'z'"},
      {"loop_body_with_more_outputs",
       [](Graph& g) {
         Graph& body = *node(g, "z").subgraph("body");
         body.add_output(*body.find_value("r"));
       },
       "body"},
      {"nested_graph_that_the_operator_lacks", [](Graph& g) { node(g, "a").add_subgraph("body"); },
       "node 'a'"},
      {"if_without_branches",
       [](Graph& g) {
         auto added = g.add_node("", "If", "bare", {&value(g, "c")}, {}, {"bare"});
         ASSERT_TRUE(added.has_value());
       },
       "node 'bare'"},
  };
  return list;
}

TEST(Verify, accepts_the_graph_before_it_is_broken) {
  const auto graph = graph_of(kText);
  EXPECT_TRUE(verify(*graph)) << why(verify(*graph));
}

TEST(Verify, finds_every_kind_of_damage_and_names_the_place) {
  ASSERT_GE(cases().size(), 20u);
  for (const Broken& broken : cases()) {
    const auto graph = graph_of(kText);
    broken.damage(*graph);
    const Status status = verify(*graph);
    ASSERT_FALSE(status) << broken.name;
    EXPECT_NE(status.error().message().find(broken.place), std::string::npos)
        << broken.name << ": " << status.error().message();
  }
}

TEST(Verify, looks_at_a_nested_graph_alone) {
  const auto graph = graph_of(kText);
  const Graph& branch = *node(*graph, "y").subgraph("then_branch");
  EXPECT_TRUE(verify(branch)) << why(verify(branch));
}

}  // namespace
}  // namespace npugraph
