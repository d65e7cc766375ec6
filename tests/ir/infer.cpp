// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/infer.h"

#include "tests/ir/helpers.h"

namespace npugraph {
namespace {

std::string type_of(const Graph& graph, std::string_view name) {
  const Value* value = graph.find_value(name);
  return value != nullptr && value->has_type ? value->type.str() : "unknown";
}

TEST(Infer, carries_symbols_through_shape_arithmetic) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[b, 3, h, w]
    const %axis = int64[1] [0]
    const %rest = int64[1] [-1]
    %dims = Shape(%x)
    %batch = Gather(%dims, %axis)
    %to = Concat(%batch, %rest) {axis = 0}
    %flat = Reshape(%x, %to)
    return %flat
  })");
  ASSERT_TRUE(infer_types(*graph)) << why(infer_types(*graph));
  EXPECT_EQ(type_of(*graph, "flat"), "float32[b, 3*h*w]");
  EXPECT_TRUE(verify(*graph)) << why(verify(*graph));
}

TEST(Infer, knows_the_content_of_small_integer_constants) {
  Graph graph;
  EXPECT_EQ(graph.add_constant("k", Tensor::of_ints({3, 4})).content,
            (std::vector<Dim>{Dim(3), Dim(4)}));
  EXPECT_FALSE(graph.add_constant("f", Tensor::of_floats({3}, {1})).content.has_value());
  EXPECT_FALSE(graph.add_constant("long", *Tensor::zeros(DType::kI64, {kMaxContent + 1})).content);
}

TEST(Infer, names_the_node_that_fails) {
  const auto graph = graph_of(R"(graph {
    input %a: float32[2, 3]
    input %b: float32[2, 4]
    %y = Add(%a, %b) name "sum"
    return %y
  })");
  const Status status = infer_types(*graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(status.error().place, "node 'sum'");
}

TEST(Infer, refuses_an_input_without_a_type) {
  const auto graph = graph_of("graph { input %x %y = Relu(%x) return %y }");
  const Status status = infer_types(*graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, ErrorId::kUnknownDim);
}

TEST(Infer, never_contradicts_declared_outputs) {
  const auto declared = [](std::string_view type) {
    return graph_of(std::string("graph { input %x: float32[n, 3] %y: ") + std::string(type) +
                    " = Relu(%x) return %y }");
  };
  const auto fine = declared("float32[m, 3]");
  EXPECT_TRUE(infer_types(*fine));
  EXPECT_EQ(type_of(*fine, "y"), "float32[n, 3]");
  EXPECT_TRUE(infer_types(*declared("float32[*]")));
  const Status wrong = infer_types(*declared("float32[n, 4]"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(wrong.error().place, "value 'y'");
  EXPECT_EQ(infer_types(*declared("float32[n]")).error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(infer_types(*declared("int64[n, 3]")).error().id, ErrorId::kDTypeMismatch);
}

// ---- If

std::string if_type(std::string_view then_op, std::string_view else_op) {
  const auto graph = graph_of(std::string(R"(graph {
    input %c: bool[]
    input %x: float32[n, 2]
    input %z: float32[5, 2]
    input %v: float32[2]
    input %k: int64[n, 2]
    %y = If(%c)
      with then_branch { %t = )") +
                              std::string(then_op) + R"( return %t }
      with else_branch { %e = )" +
                              std::string(else_op) + " return %e }\n return %y }");
  const Status status = infer_types(*graph);
  if (!status) return std::string(error_info(status.error().id).name);
  EXPECT_TRUE(verify(*graph)) << why(verify(*graph));
  return type_of(*graph, "y");
}

TEST(Infer, merges_the_branches_of_an_if) {
  EXPECT_EQ(if_type("Relu(%x)", "Neg(%x)"), "float32[n, 2]");
  EXPECT_EQ(if_type("Relu(%x)", "Neg(%z)"), "float32[late.y.0, 2]");
  EXPECT_EQ(if_type("Relu(%x)", "Neg(%v)"), "float32[*]");
  EXPECT_EQ(if_type("Relu(%x)", "Neg(%k)"), "DTypeMismatch");
}

TEST(Infer, hides_symbols_of_a_branch) {
  // The count of non-zero elements exists only inside the branch.
  EXPECT_EQ(if_type("NonZero(%x)", "Neg(%k)"), "int64[late.y.0, late.y.1]");
}

TEST(Infer, takes_the_branch_of_a_known_condition) {
  // The other branch does not fit these shapes, which must not matter.
  const auto graph = graph_of(R"(graph {
    input %x: float32[n, 2]
    input %w: float32[3, 7]
    const %c = bool[] [1]
    %y = If(%c)
      with then_branch { %t = Relu(%x) return %t }
      with else_branch { %e = MatMul(%x, %w) return %e }
    return %y
  })");
  ASSERT_TRUE(infer_types(*graph)) << why(infer_types(*graph));
  EXPECT_EQ(type_of(*graph, "y"), "float32[n, 2]");
  EXPECT_TRUE(verify(*graph)) << why(verify(*graph));
}

// ---- Loop

std::unique_ptr<Graph> loop_of(std::string_view arguments, std::string_view body) {
  return graph_of(std::string(R"(graph {
    input %m: int64[]
    input %c: bool[]
    input %x: float32[n, 2]
    const %five = int64[] [5]
    const %yes = bool[] [1]
    const %no = bool[] [0]
    %y, %all = Loop()") +
                  std::string(arguments) + R"()
      with body {
        input %i: int64[]
        input %going: bool[]
        input %v: float32[*]
        )" + std::string(body) +
                  "\n} return %y, %all }");
}

std::string loop_types(std::string_view arguments, std::string_view body) {
  const auto graph = loop_of(arguments, body);
  const Status status = infer_types(*graph);
  if (!status) return std::string(error_info(status.error().id).name);
  EXPECT_TRUE(verify(*graph)) << why(verify(*graph));
  return type_of(*graph, "y") + " " + type_of(*graph, "all");
}

constexpr std::string_view kSameShape = "%go = Identity(%going) %r = Relu(%v) return %go, %r, %r";
constexpr std::string_view kGrows =
    "%go = Identity(%going) %r = Concat(%v, %v) {axis = 0} return %go, %r, %v";

TEST(Infer, knows_the_rounds_of_a_counted_loop) {
  EXPECT_EQ(loop_types("%five, -, %x", kSameShape), "float32[n, 2] float32[5, n, 2]");
  EXPECT_EQ(loop_types("%five, %yes, %x", kSameShape), "float32[n, 2] float32[5, n, 2]");
  EXPECT_EQ(loop_types("%five, %no, %x", kSameShape), "float32[n, 2] float32[0, n, 2]");
}

TEST(Infer, leaves_the_rounds_of_other_loops_late) {
  const std::string late = "float32[n, 2] float32[late.y.2097152, n, 2]";
  EXPECT_EQ(loop_types("%m, -, %x", kSameShape), late);
  EXPECT_EQ(loop_types("%five, %c, %x", kSameShape), late);
  EXPECT_EQ(loop_types("%five, -, %x", "%r = Relu(%v) %go = Less(%i, %m) return %go, %r, %r"),
            late);
}

TEST(Infer, generalises_carried_shapes_that_change) {
  // Rows double in each round: their number is late after the loop, and in each item of the stack.
  EXPECT_EQ(loop_types("%five, -, %x", kGrows), "float32[late.y.0, 2] float32[5, late.y.65, 2]");
}

TEST(Infer, gives_up_the_rank_that_a_loop_changes) {
  EXPECT_EQ(loop_types("%five, -, %x",
                       "const %a = int64[1] [0] %go = Identity(%going) "
                       "%r = Unsqueeze(%v, %a) return %go, %r, %i"),
            "float32[*] int64[5]");
}

TEST(Infer, refuses_a_carried_value_that_changes_its_dtype) {
  EXPECT_EQ(loop_types("%five, -, %x", "%go = Identity(%going) return %go, %i, %v"),
            "DTypeMismatch");
}

TEST(Infer, refuses_a_body_with_the_wrong_number_of_values) {
  EXPECT_EQ(loop_types("%five, -, %x, %x", kSameShape), "BadArity");
  EXPECT_EQ(loop_types("%five, -, %x", "%r = Relu(%v) return %going, %r"), "BadArity");
}

TEST(Infer, finds_a_fixed_point_when_many_carried_values_depend_on_each_other) {
  // Shapes travel down a chain, one place a round: v7 only changes in the eighth.
  std::string args = "%five, -", inputs, outputs, results, types;
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    args += i == 0 ? ", %x" : ", %z";
    inputs += " input %v" + n + ": float32[*]";
    outputs += i == 0 ? ", %grown" : ", %v" + std::to_string(i - 1);
    results += (i == 0 ? "%y" : ", %y") + n;
  }
  const auto graph = graph_of(
      "graph { input %x: float32[3] input %z: float32[3] "
      "const %five = int64[] [5] " +
      results + " = Loop(" + args + ") with body { input %i: int64[] " + "input %go: bool[]" +
      inputs + " %grown = Concat(%v0, %v0) {axis = 0} return %go" + outputs + " } return " +
      results + " }");
  ASSERT_TRUE(infer_types(*graph)) << why(infer_types(*graph));
  EXPECT_EQ(type_of(*graph, "y0"), "float32[late.y0.0]");
  EXPECT_NE(type_of(*graph, "y7"), "float32[3]");
}

// ---- bind_shapes

TEST(BindShapes, replaces_symbols_everywhere) {
  const auto graph = graph_of(R"(graph {
    fact h = 32..640 % 32
    input %x: float32[b, 3, h, w]
    input %s: float32[b, 3]
    %y: float32[b, 3, h, w] = Relu(%x)
    %z: float32[b, 3] = Neg(%s)
    return %y, %z
  })");
  ASSERT_TRUE(bind_shapes(*graph, {{"x", Shape{Dim(2), Dim(3), Dim(64), Dim::symbol("v")}}}));
  EXPECT_EQ(type_of(*graph, "y"), "float32[2, 3, 64, v]");
  EXPECT_EQ(type_of(*graph, "s"), "float32[2, 3]");
  EXPECT_EQ(type_of(*graph, "z"), "float32[2, 3]");
  EXPECT_TRUE(graph->facts.empty());
}

TEST(BindShapes, keeps_facts_of_a_renamed_symbol) {
  const auto graph =
      graph_of("graph { fact n = 1..8 input %x: float32[n] %y = Relu(%x) return %y }");
  ASSERT_TRUE(bind_shapes(*graph, {{"x", Shape{Dim::symbol("k")}}}));
  EXPECT_EQ(graph->facts.at("k").max, 8);
  EXPECT_EQ(type_of(*graph, "y"), "float32[k]");
}

TEST(BindShapes, refuses_what_contradicts_the_model) {
  const auto bind = [](std::map<std::string, Shape, std::less<>> shapes) {
    const auto graph = graph_of(R"(graph {
      fact h = 32..640 % 32
      input %image: float32[b, 3, h]
      input %other: float32[b, 2*b]
      %y = Relu(%image)
      return %y
    })");
    const Status status = bind_shapes(*graph, shapes);
    return status ? std::string("fine") : std::string(error_info(status.error().id).name);
  };
  EXPECT_EQ(bind({{"image", Shape{Dim(1), Dim(3), Dim(64)}}}), "fine");
  EXPECT_EQ(bind({{"image", Shape{Dim(1), Dim(4), Dim(64)}}}), "ShapeMismatch");
  EXPECT_EQ(bind({{"image", Shape{Dim(1), Dim(3), Dim(65)}}}), "ShapeMismatch");
  EXPECT_EQ(bind({{"image", Shape{Dim(1), Dim(3), Dim(1280)}}}), "ShapeMismatch");
  EXPECT_EQ(bind({{"image", Shape{Dim(1), Dim(3)}}}), "ShapeMismatch");
  EXPECT_EQ(bind({{"image", Shape{Dim(-1), Dim(3), Dim(64)}}}), "ShapeMismatch");
  EXPECT_EQ(bind({{"other", Shape{Dim(2), Dim(4)}}}), "fine");
  EXPECT_EQ(bind({{"other", Shape{Dim(2), Dim(5)}}}), "ShapeMismatch");
  EXPECT_EQ(bind({{"image", Shape{Dim(1), Dim(3), Dim(64)}}, {"other", Shape{Dim(2), Dim(4)}}}),
            "ShapeMismatch");
  EXPECT_EQ(bind({{"imagee", Shape{Dim(1), Dim(3), Dim(64)}}}), "BadOption");
}

TEST(BindShapes, suggests_the_nearest_input) {
  const auto graph = graph_of("graph { input %image: float32[n] %y = Relu(%image) return %y }");
  const Status status = bind_shapes(*graph, {{"imag", Shape{Dim(1)}}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().fix, "did you mean 'image'?");
}

}  // namespace
}  // namespace npugraph
