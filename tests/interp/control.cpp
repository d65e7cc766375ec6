// SPDX-License-Identifier: Apache-2.0
// If and Loop, worked by hand.
#include <gmock/gmock.h>

#include "tests/interp/helpers.h"

namespace npugraph {
namespace {

using ::testing::ElementsAre;

TEST(Control, if_takes_the_branch_that_the_data_says) {
  const auto graph = graph_of(R"(graph {
    input %c: bool[]
    input %x: float32[n]
    %y, %kind = If(%c)
      with then_branch {
        const %one = int64[] [1]
        %t = Add(%x, %x)
        return %t, %one
      }
      with else_branch {
        const %two = int64[] [2]
        %s = Shape(%x)
        %e = NonZero(%x)
        const %axis = int64[1] [0]
        %f = Squeeze(%e, %axis)
        %g = Cast(%f) {to = 1}
        return %g, %two
      }
    return %y, %kind
  })");
  const Tensor x = Tensor::of_floats({5, 0, 7}, {3});
  auto out = run(*graph, {flag(true), x});
  EXPECT_THAT(numbers(out[0]), ElementsAre(10, 0, 14));
  EXPECT_THAT(numbers(out[1]), ElementsAre(1));
  out = run(*graph, {flag(false), x});
  EXPECT_THAT(numbers(out[0]), ElementsAre(0, 2)) << "places of what is not zero";
  EXPECT_THAT(numbers(out[1]), ElementsAre(2));
}

TEST(Control, if_may_hand_on_values_from_around_it) {
  const auto graph = graph_of(R"(graph {
    input %c: bool[1]
    input %x: float32[2]
    const %k = float32[2] [8, 9]
    %y = If(%c)
      with then_branch { return %x }
      with else_branch { return %k }
    return %y, %y
  })");
  const Tensor x = Tensor::of_floats({1, 2}, {2});
  auto condition = Tensor::zeros(DType::kBool, {1});
  ASSERT_TRUE(condition);
  auto out = run(*graph, {*condition, x});
  EXPECT_THAT(numbers(out[0]), ElementsAre(8, 9));
  EXPECT_THAT(numbers(out[1]), ElementsAre(8, 9));
}

constexpr std::string_view kFactorial = R"(graph {
  input %n: int64[]
  const %one = int64[] [1]
  %f, %all = Loop(%n, -, %one)
    with body {
      input %i: int64[]
      input %going: bool[]
      input %v: int64[]
      %k = Add(%i, %one)
      %next = Mul(%v, %k)
      return %going, %next, %next
    }
  return %f, %all
})";

TEST(Control, loop_computes_factorials) {
  const auto graph = graph_of(kFactorial);
  auto out = run(*graph, {count_of(5)});
  EXPECT_THAT(numbers(out[0]), ElementsAre(120));
  EXPECT_THAT(numbers(out[1]), ElementsAre(1, 2, 6, 24, 120));
  EXPECT_EQ(out[1].dims(), (Dims{5}));
}

TEST(Control, loop_without_a_round_gives_its_start_and_an_empty_stack) {
  const auto graph = graph_of(kFactorial);
  for (const int64_t rounds : {0, -3}) {
    const auto out = run(*graph, {count_of(rounds)});
    EXPECT_THAT(numbers(out[0]), ElementsAre(1));
    EXPECT_EQ(out[1].dims(), (Dims{0}));
    EXPECT_EQ(out[1].dtype(), DType::kI64);
  }
}

TEST(Control, loop_ends_when_its_condition_turns_false) {
  // Halves x until it is below 1: 13 -> 6.5 -> 3.25 -> 1.625 -> 0.8125.
  const auto graph = graph_of(R"(graph {
    input %go: bool[]
    input %x: float32[]
    const %limit = float32[] [1]
    const %half = float32[] [0.5]
    %y, %seen, %rounds = Loop(-, %go, %x)
      with body {
        input %i: int64[]
        input %going: bool[]
        input %v: float32[]
        %next = Mul(%v, %half)
        %more = GreaterOrEqual(%next, %limit)
        return %more, %next, %v, %i
      }
    return %y, %seen, %rounds
  })");
  auto out = run(*graph, {flag(true), Tensor::of_floats({13}, {})});
  EXPECT_THAT(numbers(out[0]), ElementsAre(0.8125));
  EXPECT_THAT(numbers(out[1]), ElementsAre(13, 6.5, 3.25, 1.625));
  EXPECT_THAT(numbers(out[2]), ElementsAre(0, 1, 2, 3));
  out = run(*graph, {flag(false), Tensor::of_floats({13}, {})});
  EXPECT_THAT(numbers(out[0]), ElementsAre(13));
  EXPECT_EQ(out[1].dims(), (Dims{0}));
}

TEST(Control, loop_carries_values_that_grow) {
  const auto graph = graph_of(R"(graph {
    input %n: int64[]
    input %x: float32[k]
    %y, %all = Loop(%n, -, %x)
      with body {
        input %i: int64[1]
        input %going: bool[1]
        input %v: float32[*]
        %next = Concat(%v, %x) {axis = 0}
        return %going, %next, %i
      }
    return %y, %all
  })");
  const auto out = run(*graph, {count_of(2), Tensor::of_floats({1, 2}, {2})});
  EXPECT_THAT(numbers(out[0]), ElementsAre(1, 2, 1, 2, 1, 2));
  EXPECT_EQ(out[1].dims(), (Dims{2, 1})) << "a body may declare its round as 1-D";
}

TEST(Control, loop_refuses_scan_items_that_change_their_shape) {
  const auto graph = graph_of(R"(graph {
    input %n: int64[]
    input %x: float32[k]
    %y, %all = Loop(%n, -, %x) name "growing"
      with body {
        input %i: int64[]
        input %going: bool[]
        input %v: float32[*]
        %next = Concat(%v, %x) {axis = 0}
        return %going, %next, %next
      }
    return %y, %all
  })");
  const auto out = interpret(*graph, std::vector{count_of(3), Tensor::of_floats({1}, {1})});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().id, ErrorId::kShapeMismatch);
  EXPECT_EQ(out.error().place, "node 'growing': body");
}

TEST(Control, loops_nest_and_read_every_graph_around_them) {
  // sum over i < 3, j < i + 1 of 10*i + j = 0 + (10 + 11) + (20 + 21 + 22) = 84
  const auto graph = graph_of(R"(graph {
    const %three = int64[] [3]
    const %ten = int64[] [10]
    const %zero = int64[] [0]
    const %one = int64[] [1]
    %sum = Loop(%three, -, %zero)
      with body {
        input %i: int64[]
        input %outer: bool[]
        input %v: int64[]
        %tens = Mul(%i, %ten)
        %rounds = Add(%i, %one)
        %inner_sum = Loop(%rounds, -, %v)
          with body {
            input %j: int64[]
            input %inner: bool[]
            input %w: int64[]
            %term = Add(%tens, %j)
            %added = Add(%w, %term)
            return %inner, %added
          }
        return %outer, %inner_sum
      }
    return %sum
  })");
  EXPECT_THAT(numbers(run(*graph, {})[0]), ElementsAre(84));
}

TEST(Control, loop_stacks_4_bit_items) {
  const auto graph = graph_of(R"(graph {
    const %three = int64[] [3]
    const %item = int4[3] [1, -2, 3]
    %all = Loop(%three, -)
      with body {
        input %i: int64[]
        input %going: bool[]
        return %going, %item
      }
    return %all
  })");
  const auto out = run(*graph, {});
  EXPECT_EQ(out[0].dims(), (Dims{3, 3}));
  EXPECT_THAT(numbers(out[0]), ElementsAre(1, -2, 3, 1, -2, 3, 1, -2, 3));
}

}  // namespace
}  // namespace npugraph
