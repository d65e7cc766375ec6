// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/ir/helpers.h"

namespace npugraph {
namespace {

/// Everything that the text form has, in the form in which it is printed.
constexpr std::string_view kAll = R"(graph "all of it" {
  meta "opset" = "17"
  meta "producer" = "a \"quoted\" name\n"
  fact b = 1..64 % 2
  fact n = 0..inf
  input %x: float32[b, 3, 2*n + floordiv(n, 2)]
  input %c: bool[]
  input %any: float16[*]
  input %"odd name:0"
  const %w = float32[2, 3] [1, -0, 0.1, inf, -inf, 1e-45]
  const %k = int64[2] [-9223372036854775808, 9223372036854775807]
  const %u = uint64[1] [18446744073709551615]
  const %h = float16[2] [0.5, 65504]
  const %q = int4[3] [-8, 7, 1]
  const %nan = float32[1] hex "0100c07f"
  const %none = float32[0] []
  const %zero = float32[10, 10] zeros
  const %ones = int8[100] splat(1)
  const %pi = float64[] [3.141592653589793]
  %a: float32[b, 3, 2*n + floordiv(n, 2)] = LeakyRelu(%x) {alpha = 0.25} @vnpu name "leaky" from ["conv 1", "act"]
  %f = LogSoftmax(%a) {axis = 2}
  %k1: int64[2], %k2 = TopK(%f, %k) {largest = 0}
  %r = Resize(%x, -, %w) {coordinate_transformation_mode = "asymmetric", mode = "cubic"}
  %cs = ConstantOfShape(%k) {value = int64[1] [7]}
  %y = If(%c) name "branchy"
    with else_branch {
      %e = Neg(%a)
      return %e
    }
    with then_branch "then graph" {
      const %one = float32[] [1]
      %t = Add(%a, %one)
      %inner = If(%c)
        with else_branch {
          return %t
        }
        with then_branch {
          return %a
        }
      return %inner
    }
  return %y, %"odd name:0", %y
}
)";

TEST(Text, prints_what_it_reads) {
  const auto graph = graph_of(kAll);
  EXPECT_EQ(print(*graph), kAll);
}

TEST(Text, keeps_what_is_not_seen_in_the_text) {
  const auto graph = graph_of(kAll);
  EXPECT_EQ(graph->name(), "all of it");
  EXPECT_EQ(graph->facts.at("b"), (SymbolFact{1, 64, 2}));
  EXPECT_FALSE(graph->find_value("odd name:0")->has_type);
  EXPECT_FALSE(graph->find_value("any")->type.shape.ranked());
  const Node& leaky = *graph->find_node("leaky");
  EXPECT_EQ(leaky.device, "vnpu");
  EXPECT_EQ(leaky.origins, (std::vector<std::string>{"conv 1", "act"}));
  EXPECT_EQ(graph->find_node("r")->input(1), nullptr);
  EXPECT_EQ(graph->find_node("f")->attrs().i64("axis"), 2);
  const Tensor& w = *graph->find_value("w")->constant();
  EXPECT_TRUE(std::signbit(w.as<float>()[1]));
  EXPECT_EQ(w.as<float>()[2], 0.1f);
  EXPECT_EQ(w.as<float>()[5], std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(graph->find_value("q")->constant()->view().load_int(0), -8);
  EXPECT_EQ(graph->find_value("ones")->constant()->view().load_int(99), 1);
}

TEST(Text, takes_blanks_and_comments_anywhere) {
  const auto graph =
      graph_of("# first\ngraph{input%x:float32[2]# of the input\n%y=Relu(\n%x\n)#\nreturn%y}\n#");
  EXPECT_EQ(graph->node_count(), 1);
}

TEST(Text, shows_long_constants_by_hash_and_finds_them_again) {
  const auto graph = graph_of(R"(graph {
    input %x: float32[1, 3, 9, 9]
    const %w = float32[8, 3, 3, 3] random(7)
    %y = Conv(%x, %w)
    return %y
  })");
  const std::string shown = print(*graph);
  const std::string hash = data_hash(*graph->find_value("w")->constant());
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_NE(shown.find("float32[8, 3, 3, 3] #" + hash), std::string::npos) << shown;
  const auto alone = parse(shown);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().id, ErrorId::kIrParse);
  const auto with_data = parse(shown, {.data = graph.get()});
  ASSERT_TRUE(with_data) << why(with_data);
  EXPECT_EQ(print(**with_data), shown);

  const std::string whole = print(*graph, {.all_data = true});
  const auto again = graph_of(whole);
  EXPECT_EQ(print(*again, {.all_data = true}), whole);
  EXPECT_EQ(print(*again), shown);
}

TEST(Text, random_constants_are_normal_and_the_same_everywhere) {
  const auto graph = graph_of(R"(graph {
    const %a = float32[100, 100] random(1)
    const %b = float32[100, 100] random(2)
    const %i = int8[1000] random(3)
    return
  })");
  const auto a = graph->find_value("a")->constant()->as<float>();
  const auto b = graph->find_value("b")->constant()->as<float>();
  double mean = 0, square = 0, product = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    mean += static_cast<double>(a[i]) / 1e4;
    square += static_cast<double>(a[i]) * static_cast<double>(a[i]) / 1e4;
    product += static_cast<double>(a[i]) * static_cast<double>(b[i]) / 1e4;
  }
  // Three standard errors of 10,000 samples, and some.
  EXPECT_NEAR(mean, 0, 0.04);
  EXPECT_NEAR(square, 1, 0.05);
  EXPECT_NEAR(product, 0, 0.04);
  // Worked out in Python from the published generator and the formula in print.h.
  EXPECT_EQ(a[0], 1.1848297119140625f);
  EXPECT_EQ(a[1], 0.370391845703125f);
  EXPECT_EQ(a[2], -0.4430694580078125f);
  const int64_t expected[] = {5, 1, 1, 7, 6, 7, 0, 6};
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(graph->find_value("i")->constant()->view().load_int(i), expected[i]);
}

struct Bad {
  std::string_view text;
  ErrorId id;
  std::string_view place;
};

TEST(Text, refuses_what_is_wrong_and_says_where) {
  const Bad list[] = {
      {"", ErrorId::kIrParse, "line 1, column 1"},
      {"graph {\n  input %x: float32[2]\n  %y = Relu(%z)\n  return %y }", ErrorId::kIrParse,
       "line 3, column 13"},
      {"graph {\n input %x: float33[2] return }", ErrorId::kIrParse, "line 2, column 11"},
      {"graph { input %x: float32[2 return }", ErrorId::kIrParse, "line 1, column 26"},
      {"graph { input %x: float32[(a+b)*(a+b)] return }", ErrorId::kIrParse, "line 1, column 26"},
      {"graph { input %x: float32[2] input %x: float32[2] return }", ErrorId::kIrParse, "line 1"},
      {"graph { input %x: float32[2] %y = Relux(%x) return }", ErrorId::kUnknownOp, "line 1"},
      {"graph { input %x: float32[2] %y = Relux(%x) {a = 1} return }", ErrorId::kUnknownOp, ""},
      {"graph { input %x: float32[2] %y = Softmax(%x) {axes = 1} return }", ErrorId::kBadAttribute,
       "line 1, column 48"},
      {"graph { input %x: float32[2] %y = Softmax(%x) {axis = a} return }", ErrorId::kIrParse, ""},
      {"graph { input %x: float32[2] %y = Add(%x) return }", ErrorId::kBadArity, "line 1"},
      {"graph { input %x: float32[2] %y = Relu(%x) with body { return } return }",
       ErrorId::kIrParse, ""},
      {"graph { const %k = float32[2] [1] return }", ErrorId::kIrParse, ""},
      {"graph { const %k = float32[2] [1, 2, 3] return }", ErrorId::kIrParse, ""},
      {"graph { const %k = int8[1] [128] return }", ErrorId::kIrParse, "line 1, column 29"},
      {"graph { const %k = int8[1] [1.5] return }", ErrorId::kIrParse, ""},
      {"graph { const %k = float32[n] [1] return }", ErrorId::kIrParse, ""},
      {"graph { const %k = float32[1] hex \"00\" return }", ErrorId::kIrParse, ""},
      {"graph { const %k = float32[1] hex \"0000000g\" return }", ErrorId::kIrParse, ""},
      {"graph { const %k = float32[99999999999] zeros return }", ErrorId::kIrParse, ""},
      {"graph { const %k = float32[4611686018427387904, 4] zeros return }", ErrorId::kSizeOverflow,
       ""},
      {"graph { const %k = float32[-1] zeros return }", ErrorId::kShapeMismatch, ""},
      {"graph { fact b = 5..2 return }", ErrorId::kIrParse, ""},
      {"graph { fact b = 1..2 % 0 return }", ErrorId::kIrParse, ""},
      {"graph { return } more", ErrorId::kIrParse, "line 1, column 18"},
      {"graph \"a\\qb\" { return }", ErrorId::kIrParse, ""},
      {"graph \"open", ErrorId::kIrParse, ""},
      {"graph { return", ErrorId::kIrParse, "line 1, column 15"},
  };
  for (const Bad& bad : list) {
    const auto graph = parse(bad.text);
    ASSERT_FALSE(graph) << bad.text;
    EXPECT_EQ(error_info(graph.error().id).name, error_info(bad.id).name) << bad.text;
    EXPECT_NE(graph.error().message().find(bad.place), std::string::npos)
        << bad.text << "\n"
        << graph.error().message();
    EXPECT_NE(graph.error().place.find("line "), std::string::npos) << graph.error().message();
  }
}

TEST(Text, a_nested_graph_cannot_read_the_result_of_its_node) {
  const auto graph = parse(
      "graph { input %c: bool[] %y = If(%c) with then_branch { return %y } "
      "with else_branch { return %c } return %y }");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().id, ErrorId::kIrParse);
}

TEST(Text, bounds_nesting) {
  const auto nested = [](int depth) {
    std::string text = "graph { input %c: bool[] ";
    for (int i = 0; i < depth; ++i)
      text += "%y" + std::to_string(i) + " = If(%c) with then_branch { ";
    for (int i = depth - 1; i >= 0; --i)
      text += (i == depth - 1 ? "return %c" : "return %y" + std::to_string(i + 1)) +
              std::string(" } with else_branch { return %c } ");
    return text + "return %y0 }";
  };
  EXPECT_TRUE(parse(nested(31))) << why(parse(nested(31)));
  const auto deep = parse(nested(2000));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().id, ErrorId::kIrParse);
  const std::string dims = "graph { input %x: float32[" + std::string(5000, '-') + "1] return }";
  EXPECT_FALSE(parse(dims));
  std::string calls;
  for (int i = 0; i < 2000; ++i) calls += "max(a, ";
  EXPECT_FALSE(parse("graph { input %x: float32[" + calls + "] return }"));
}

TEST(Text, bounds_the_memory_of_constants) {
  const std::string text = "graph { const %a = int8[100] zeros const %b = int8[100] zeros return }";
  EXPECT_TRUE(parse(text, {.data = nullptr, .max_bytes = 200}));
  EXPECT_EQ(parse(text, {.data = nullptr, .max_bytes = 199}).error().id, ErrorId::kIrParse);
}

TEST(Text, survives_damage) {
  // Cut, change and double pieces of a text: what comes back is a graph or an error.
  std::mt19937 random(5);
  const auto pick = [&](size_t below) { return static_cast<size_t>(random()) % below; };
  const std::string alphabet = "%{}()[]\"=,:@#-09azAX \n.\\";
  int64_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text(kAll);
    for (size_t edits = 1 + pick(3); edits > 0; --edits) {
      const size_t at_char = pick(text.size());
      const size_t length = pick(20);
      switch (pick(4)) {
        case 0:
          text.erase(at_char, length);
          break;
        case 1:
          text[at_char] = alphabet[pick(alphabet.size())];
          break;
        case 2:
          text.insert(at_char, text.substr(pick(text.size()), length));
          break;
        default:
          text.resize(std::max<size_t>(1, at_char));
      }
    }
    const auto graph = parse(text);
    if (!graph) ++refused;
    if (graph) {
      EXPECT_EQ(print(*graph_of(print(**graph))), print(**graph));
      (void)verify(**graph);
      (void)infer_types(**graph);
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Text, prints_one_node_on_one_line) {
  const auto graph = graph_of(kAll);
  EXPECT_EQ(print(*graph->find_node("f")), "%f = LogSoftmax(%a) {axis = 2}");
  EXPECT_EQ(print(*graph->find_node("branchy")), "%y = If(%c) name \"branchy\"");
}

}  // namespace
}  // namespace npugraph
