// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/accuracy.h"

#include <gtest/gtest.h>

#include "npugraph/ir/print.h"

namespace npugraph {
namespace {

/// Names of the nodes that may be fast, nested ones included.
std::vector<std::string> fast_nodes(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node* node : graph.nodes()) {
    if (node->allow_fast) names.push_back(node->name());
    for (const auto& [role, nested] : node->subgraphs()) {
      for (std::string& name : fast_nodes(*nested)) names.push_back(std::move(name));
    }
  }
  return names;
}

std::unique_ptr<Graph> sample() {
  auto graph = parse(R"(graph "g" {
    input %x: float32[4]
    input %c: bool[]
    %a = Softmax(%x) name "enc.0.softmax"
    %b = Softmax(%a) name "enc.1.softmax" from ["enc.1.exp", "enc.1.div"]
    %d = If(%c) name "if" with then_branch "t" { %t = Gelu(%b) name "enc.2.gelu" return %t }
                          with else_branch "e" { %e = Relu(%b) name "relu" return %e }
    return %d
  })");
  EXPECT_TRUE(graph) << graph.error().message();
  return *std::move(graph);
}

std::vector<std::string> fast_after(const std::vector<std::string>& precise, bool fast = true) {
  const std::unique_ptr<Graph> graph = sample();
  const Status status = choose_accuracy(*graph, fast, precise);
  EXPECT_TRUE(status) << status.error().message();
  return fast_nodes(*graph);
}

using Names = std::vector<std::string>;

TEST(accuracy, all_nodes_may_be_fast_or_none) {
  EXPECT_EQ(fast_after({}), (Names{"enc.0.softmax", "enc.1.softmax", "if", "relu", "enc.2.gelu"}));
  EXPECT_EQ(fast_after({}, false), Names{});
}

TEST(accuracy, an_operator_stays_precise_in_nested_graphs_too) {
  EXPECT_EQ(fast_after({"Softmax", "Gelu"}), (Names{"if", "relu"}));
}

TEST(accuracy, a_regular_expression_matches_whole_names_and_origins) {
  EXPECT_EQ(fast_after({"enc\\.[01]\\..*"}), (Names{"if", "relu", "enc.2.gelu"}));
  EXPECT_EQ(fast_after({"enc.1.exp"}), (Names{"enc.0.softmax", "if", "relu", "enc.2.gelu"}));
  EXPECT_EQ(fast_after({"re|relu"}), (Names{"enc.0.softmax", "enc.1.softmax", "if", "enc.2.gelu"}));
}

TEST(accuracy, what_matches_nothing_is_refused_at_every_level) {
  for (const bool fast : {false, true}) {
    const Status status = choose_accuracy(*sample(), fast, Names{"sofmax"});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().id, ErrorId::kBadOption);
    EXPECT_EQ(status.error().found, "sofmax");
  }
}

TEST(accuracy, a_zero_byte_is_refused) {
  const Status status = choose_accuracy(*sample(), true, Names{std::string("relu\0x", 6)});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "an expression of `precise` holds a zero byte");
}

TEST(accuracy, what_is_no_regular_expression_is_refused) {
  const Status status = choose_accuracy(*sample(), true, Names{"enc(.*"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, ErrorId::kBadOption);
}

TEST(accuracy, expressions_that_could_take_hours_are_refused) {
  const Names costly = {std::string(1001, 'a'),
                        std::string(300'000, '('),
                        "((a{1,255}){1,255}){1,255}",
                        "(.*){4000}{99999999999}",
                        "a{2000}bcde",
                        R"((a*)*\1)"};
  for (const std::string& word : costly) {
    const Status status = choose_accuracy(*sample(), true, Names{word});
    ASSERT_FALSE(status) << word.substr(0, 30);
    EXPECT_EQ(status.error().id, ErrorId::kBadOption);
    EXPECT_FALSE(status.error().expected.empty());
  }
  EXPECT_EQ(fast_after({R"(enc\.[0-9]{1,9}\..*)"}), (Names{"if", "relu"}));
}

}  // namespace
}  // namespace npugraph
