// SPDX-License-Identifier: Apache-2.0
#include "npugraph/interp/interp.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "tests/interp/helpers.h"

namespace npugraph {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kPerceptron = R"(graph {
  input %x: float32[b, 2]
  const %w = float32[2, 2] [1, 2, 3, 4]
  const %one = float32[] [1]
  %p = MatMul(%x, %w)
  %r = Relu(%p)
  %y = Add(%r, %one)
  return %y
})";

TEST(Interp, computes_a_graph_worked_by_hand) {
  const auto graph = graph_of(kPerceptron);
  // [1 -1] * w = [-2 -2] -> 0 0 -> 1 1;   [2 1] * w = [5 8] -> 6 9
  const auto out = run(*graph, {Tensor::of_floats({1, -1, 2, 1}, {2, 2})});
  EXPECT_THAT(numbers(out[0]), ElementsAre(1, 1, 6, 9));
  EXPECT_EQ(out[0].dims(), (Dims{2, 2}));
}

TEST(Interp, gives_inputs_and_constants_as_outputs) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[2]
    const %k = int64[1] [7]
    return %x, %k, %x
  })");
  const auto out = run(*graph, {Tensor::of_floats({1, 2}, {2})});
  EXPECT_THAT(numbers(out[0]), ElementsAre(1, 2));
  EXPECT_THAT(numbers(out[1]), ElementsAre(7));
  EXPECT_THAT(numbers(out[2]), ElementsAre(1, 2));
}

TEST(Interp, shows_every_output_to_the_tap) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[3]
    const %two = int64[1] [2]
    const %n = int64[] [2]
    %best, %places = TopK(%x, %two)
    %y = Loop(%n, -, %best)
      with body {
        input %i: int64[]
        input %going: bool[]
        input %v: float32[2]
        %next = Neg(%v)
        return %going, %next
      }
    return %y, %places
  })");
  std::vector<std::string> seen;
  InterpretOptions options;
  options.tap = [&](const Node& node, int64_t output, const Tensor& value) {
    seen.push_back(node.name() + "." + std::to_string(output) + "=" +
                   std::to_string(static_cast<int>(value.view().load(0))));
    return true;
  };
  run(*graph, {Tensor::of_floats({1, 3, 2}, {3})}, options);
  EXPECT_THAT(seen, ElementsAre("best.0=3", "best.1=1", "next.0=-3", "next.0=3", "y.0=3"));
}

TEST(Interp, stops_when_the_tap_says_so) {
  const auto graph = graph_of(kPerceptron);
  InterpretOptions options;
  options.tap = [](const Node& node, int64_t, const Tensor&) { return node.name() != "r"; };
  const auto out = interpret(*graph, std::vector{Tensor::of_floats({1, 2}, {1, 2})}, options);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().id, ErrorId::kCancelled);
  EXPECT_EQ(out.error().place, "node 'r'");
}

TEST(Interp, checks_its_inputs) {
  const auto graph = graph_of(R"(graph {
    input %a: float32[n, 2]
    input %b: float32[2*n]
    %y = Relu(%a)
    return %y
  })");
  const auto id = [&](const std::vector<Tensor>& inputs) {
    const auto out = interpret(*graph, inputs);
    return out ? std::string("fine") : std::string(error_info(out.error().id).name);
  };
  const auto floats = [](Dims dims) { return *Tensor::zeros(DType::kF32, std::move(dims)); };
  EXPECT_EQ(id({floats({3, 2}), floats({6})}), "fine");
  EXPECT_EQ(id({floats({3, 2})}), "BadArity");
  EXPECT_EQ(id({floats({3, 2}), floats({5})}), "ShapeMismatch");
  EXPECT_EQ(id({floats({3, 3}), floats({6})}), "ShapeMismatch");
  EXPECT_EQ(id({floats({6}), floats({6})}), "ShapeMismatch");
  EXPECT_EQ(id({Tensor::of_ints({1, 2}, {1, 2}), floats({2})}), "DTypeMismatch");
  const auto out = interpret(*graph, std::vector{floats({3, 2}), floats({5})});
  EXPECT_EQ(out.error().place, "input 'b'");
}

TEST(Interp, names_the_node_whose_data_is_wrong) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[3]
    input %i: int64[1]
    %y = Gather(%x, %i) name "pick"
    return %y
  })");
  const auto out =
      interpret(*graph, std::vector{Tensor::of_floats({1, 2, 3}, {3}), Tensor::of_ints({9})});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().id, ErrorId::kIndexOutOfRange);
  EXPECT_EQ(out.error().place.substr(0, 11), "node 'pick'");
}

TEST(Interp, finds_sizes_that_only_data_decides) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[n]
    %i = NonZero(%x)
    %s = Shape(%i)
    return %i, %s
  })");
  const auto out = run(*graph, {Tensor::of_floats({0, 4, 0, 5}, {4})});
  EXPECT_THAT(numbers(out[0]), ElementsAre(1, 3));
  EXPECT_THAT(numbers(out[1]), ElementsAre(1, 2));
}

TEST(Interp, stops_at_its_byte_limit) {
  const auto graph = graph_of(R"(graph {
    const %n = int64[1] [1000000]
    %big = ConstantOfShape(%n) {value = float32[1] [1]}
    return %big
  })");
  InterpretOptions options;
  options.byte_limit = 3'999'999;
  const auto out = interpret(*graph, {}, options);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().id, ErrorId::kOutOfMemory);
  EXPECT_EQ(out.error().place, "node 'big'");
  options.byte_limit = 4'000'000;
  EXPECT_TRUE(interpret(*graph, {}, options));
}

TEST(Interp, runs_one_node_alone) {
  const auto graph = graph_of(kPerceptron);
  const Tensor x = Tensor::of_floats({1, 0}, {1, 2});
  const Tensor* inputs[] = {&x, graph->find_value("w")->constant()};
  const auto out = interpret_node(*graph->find_node("p"), inputs);
  ASSERT_TRUE(out) << why(out);
  EXPECT_THAT(numbers((*out)[0]), ElementsAre(1, 2));

  const auto branchy = graph_of(R"(graph {
    input %c: bool[]
    input %x: float32[]
    const %k = float32[] [4]
    %y = If(%c)
      with then_branch { %t = Neg(%k) return %t }
      with else_branch { %e = Neg(%x) return %e }
    return %y
  })");
  const Node& node = *branchy->find_node("y");
  const Tensor yes = flag(true), no = flag(false);
  const Tensor* const when_true[] = {&yes};
  const Tensor* const when_false[] = {&no};
  EXPECT_THAT(numbers((*interpret_node(node, when_true))[0]), ElementsAre(-4));
  const auto unknown = interpret_node(node, when_false);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().id, ErrorId::kValueUnknown);
}

TEST(Interp, fast_kernels_agree_with_the_references) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[b, 3, 8, 8]
    const %w = float32[5, 3, 3, 3] random(1)
    const %bias = float32[5] random(2)
    const %fc = float32[320, 7] random(3)
    const %n = int64[] [3]
    const %rows = int64[2] [0, -1]
    %c = Conv(%x, %w, %bias) {pads = [1, 1, 1, 1]}
    %r = Relu(%c)
    %f = Reshape(%r, %rows)
    %m = MatMul(%f, %fc)
    %l = Loop(%n, -, %m)
      with body {
        input %i: int64[]
        input %going: bool[]
        input %v: float32[*]
        %s = Sigmoid(%v)
        %t = Mul(%s, %v)
        return %going, %t
      }
    %y = Softmax(%l)
    return %y
  })");
  auto pool = ThreadPool::create(2);
  ASSERT_TRUE(pool);
  Interpreter fast(*graph, {.kernels = KernelChoice::kFast,
                            .pool = pool->get(),
                            .tap = {},
                            .byte_limit = int64_t{1} << 30});
  std::mt19937 random(3);
  for (const int64_t batch : {2, 1, 2}) {
    Tensor x = *Tensor::zeros(DType::kF32, {batch, 3, 8, 8});
    for (int64_t i = 0; i < x.elements(); ++i)
      x.mutable_view().store(i, static_cast<double>(random() % 2001) / 1000 - 1);
    const auto expected = run(*graph, {x});
    const auto found = fast.run(std::vector{x});
    ASSERT_TRUE(found) << why(found);
    const auto a = numbers(expected[0]), b = numbers((*found)[0]);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
  }
}

TEST(Interp, can_run_again_after_an_error) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[3]
    input %i: int64[1]
    %a = Neg(%x)
    %y = Gather(%a, %i)
    return %y
  })");
  Interpreter interpreter(*graph);
  const Tensor x = Tensor::of_floats({1, 2, 3}, {3});
  EXPECT_FALSE(interpreter.run(std::vector{x, Tensor::of_ints({9})}));
  const auto out = interpreter.run(std::vector{x, Tensor::of_ints({1})});
  ASSERT_TRUE(out) << why(out);
  EXPECT_THAT(numbers((*out)[0]), ElementsAre(-2));
  EXPECT_EQ(interpreter.peak_bytes(), 16);
}

/// What peak_bytes() must be: every value lives from its node to its last reader.
int64_t expected_peak(const Graph& graph) {
  std::map<const Value*, int64_t> readers_left;
  for (const Node* node : graph.nodes())
    for (const Value* input : node->inputs()) ++readers_left[input];
  int64_t live = 0, peak = 0;
  const auto bytes = [](const Value* value) { return value->type.bytes().value(); };
  for (const Node* node : graph.nodes()) {
    for (const Value* output : node->outputs()) live += bytes(output);
    peak = std::max(peak, live);
    for (const Value* input : node->inputs()) {
      const bool is_last = --readers_left[input] == 0 && !input->is_graph_output();
      if (is_last && input->producer() != nullptr) live -= bytes(input);
    }
    for (const Value* output : node->outputs())
      if (output->uses().empty() && !output->is_graph_output()) live -= bytes(output);
  }
  return peak;
}

/// Random graphs of element-wise nodes and concatenations, each checked against plain arithmetic.
TEST(Interp, frees_values_after_their_last_read_in_500_random_graphs) {
  std::mt19937 random(17);
  const auto pick = [&](size_t below) { return static_cast<size_t>(random()) % below; };
  for (int round = 0; round < 500; ++round) {
    Graph graph;
    std::vector<Value*> values;
    std::map<const Value*, std::vector<double>> expected;
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < 1 + pick(3); ++i) {
      values.push_back(&graph.add_input("x", {DType::kI64, Shape{Dim(3)}}));
      const int64_t start = static_cast<int64_t>(pick(100));
      inputs.push_back(Tensor::of_ints({start, start + 1, start + 2}));
      expected[values.back()] = numbers(inputs.back());
    }
    for (size_t i = 0; i < 2 + pick(40); ++i) {
      Value* a = values[pick(values.size())];
      Value* b = values[pick(values.size())];
      const auto& x = expected[a];
      const auto& y = expected[b];
      const bool adds = x.size() == y.size() && pick(3) > 0;
      Attrs attrs;
      if (!adds) attrs.set("axis", int64_t{0});
      if (!adds && x.size() + y.size() > 500) continue;
      auto node = graph.add_node("", adds ? "BitwiseXor" : "Concat", "n", {a, b}, attrs, {"v"});
      ASSERT_TRUE(node) << why(node);
      Value* made = (*node)->output();
      auto& result = expected[made];
      for (size_t k = 0; adds && k < x.size(); ++k)
        result.push_back(
            static_cast<double>(static_cast<int64_t>(x[k]) ^ static_cast<int64_t>(y[k])));
      if (!adds) {
        result = x;
        result.insert(result.end(), y.begin(), y.end());
      }
      values.push_back(made);
    }
    for (size_t i = 0; i < 1 + pick(3); ++i) graph.add_output(*values[pick(values.size())]);
    ASSERT_TRUE(infer_types(graph));
    Interpreter interpreter(graph);
    const auto out = interpreter.run(inputs);
    ASSERT_TRUE(out) << why(out);
    for (size_t i = 0; i < out->size(); ++i)
      ASSERT_EQ(numbers((*out)[i]), expected[graph.outputs()[i]]) << "round " << round;
    EXPECT_EQ(interpreter.peak_bytes(), expected_peak(graph)) << "round " << round;
  }
}

}  // namespace
}  // namespace npugraph
