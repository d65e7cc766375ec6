// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "npugraph/ir/graph.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"

namespace npugraph {

template <class T>
std::string why(const Result<T>& result) {
  return result ? std::string("no error") : result.error().message();
}

/// A graph from text; the test fails when the text cannot be read.
inline std::unique_ptr<Graph> graph_of(std::string_view text) {
  auto graph = parse(text);
  EXPECT_TRUE(graph.has_value()) << why(graph);
  return graph ? std::move(*graph) : std::make_unique<Graph>();
}

inline Node& add(Graph& graph, std::string_view op, std::vector<Value*> inputs, std::string output,
                 Node* before = nullptr) {
  auto node = graph.add_node("", op, output, std::move(inputs), {}, {output}, before);
  EXPECT_TRUE(node.has_value()) << why(node);
  return **node;
}

inline std::vector<std::string> names_of(const std::vector<Node*>& nodes) {
  std::vector<std::string> names;
  for (const Node* node : nodes) names.push_back(node->name());
  return names;
}

/// x -> If(c): then x + x, else Relu(x); read by the nested graphs from around them.
inline constexpr std::string_view kIfText = R"(graph "branchy" {
  input %c: bool[]
  input %x: float32[n, 2]
  %y = If(%c)
    with then_branch {
      %twice = Add(%x, %x)
      return %twice
    }
    with else_branch {
      %positive = Relu(%x)
      return %positive
    }
  return %y
})";

}  // namespace npugraph
