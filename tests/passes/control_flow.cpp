// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/text.h"
#include "tests/passes/helpers.h"

namespace npugraph {
namespace {

std::string branch_graph(bool is_constant, bool value) {
  return text("graph \"g\" {\n  input %x: float32[2, 3]\n",
              is_constant ? text("  const %c = bool[] [", value ? 1 : 0, "]\n")
                          : std::string("  input %c: bool[]\n"),
              R"(
    const %two = float32[] [2]
    %y = If(%c)
      with then_branch {
        %a = Mul(%x, %two)
        %t = Relu(%a)
        return %t
      }
      with else_branch {
        %e = Neg(%x)
        return %e
      }
    %z = Add(%y, %x)
    return %z
  })");
}

TEST(If, with_a_constant_condition_is_folded) {
  for (const bool value : {true, false}) {
    const std::unique_ptr<Graph> graph = parse_typed(branch_graph(true, value));
    ASSERT_NE(graph, nullptr);
    optimize(*graph);
    EXPECT_EQ(count_nodes(*graph, "If"), 0);
    EXPECT_EQ(count_nodes(*graph, "Relu"), value ? 1 : 0);
    EXPECT_EQ(count_nodes(*graph, "Neg"), value ? 0 : 1);
  }
}

TEST(If, on_data_keeps_both_branches) {
  const std::unique_ptr<Graph> graph = parse_typed(branch_graph(false, false));
  ASSERT_NE(graph, nullptr);
  optimize(*graph);
  EXPECT_EQ(count_nodes(*graph, "If"), 1);
  EXPECT_EQ(count_nodes(*graph, "Relu"), 1);
  EXPECT_EQ(count_nodes(*graph, "Neg"), 1);
}

TEST(If, whose_condition_comes_from_shape_arithmetic_is_folded) {
  const std::unique_ptr<Graph> graph = parse_typed(R"(graph "g" {
    input %x: float32[b, 3]
    const %one = int64[1] [1]
    const %three = int64[1] [3]
    %s = Shape(%x)
    %c = Gather(%s, %one)
    %k = Equal(%c, %three)
    %y = If(%k)
      with then_branch { %t = Relu(%x) return %t }
      with else_branch { %e = Neg(%x) return %e }
    return %y
  })");
  ASSERT_NE(graph, nullptr);
  optimize(*graph);
  EXPECT_EQ(count_nodes(*graph, "If"), 0);
  EXPECT_EQ(graph->node_count(), 1);
}

/// x = (x + x) * 0.5 - 0.25, `trips` times.
std::string loop_graph(int64_t trips) {
  return text("graph \"g\" {\n  input %x: float32[3]\n  const %trips = int64[] [", trips, R"(]
    const %go = bool[] [1]
    const %half = float32[] [0.5]
    %y = Loop(%trips, %go, %x)
      with body {
        input %i: int64[]
        input %in_go: bool[]
        input %v: float32[3]
        const %quarter = float32[] [0.25]
        %out_go = Identity(%in_go)
        %d = Add(%v, %v)
        %h = Mul(%d, %half)
        %n = Sub(%h, %quarter)
        return %out_go, %n
      }
    return %y
  })");
}

TEST(Loop, is_not_unrolled) {
  int64_t counts[2] = {};
  for (const int64_t trips : {10, 1000}) {
    const std::unique_ptr<Graph> graph = parse_typed(loop_graph(trips));
    ASSERT_NE(graph, nullptr);
    optimize(*graph);
    EXPECT_EQ(count_nodes(*graph, "Loop"), 1);
    counts[trips == 10 ? 0 : 1] = graph->total_node_count();
  }
  EXPECT_EQ(counts[0], counts[1]);
}

}  // namespace
}  // namespace npugraph
