// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "npugraph/ir/graph.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"
#include "npugraph/passes/runner.h"

namespace npugraph {

/// The graph that `source` says, with types; null, and a failed test, when it says none.
inline std::unique_ptr<Graph> parse_typed(std::string_view source) {
  auto graph = parse(source);
  if (!graph) {
    ADD_FAILURE() << graph.error().message() << "\n" << source;
    return nullptr;
  }
  if (Status inferred = infer_types(**graph); !inferred) {
    ADD_FAILURE() << inferred.error().message() << "\n" << source;
    return nullptr;
  }
  return *std::move(graph);
}

inline int64_t count_nodes(const Graph& graph, std::string_view op) {
  int64_t count = 0;
  for (const Node* node : graph.nodes()) {
    count += node->op() == op ? 1 : 0;
    for (const auto& [name, nested] : node->subgraphs()) count += count_nodes(*nested, op);
  }
  return count;
}

/// Runs the pipeline and compares what the graph computes before and after, on seeded inputs.
inline void optimize(Graph& graph, PassOptions options = {}) {
  auto check = SelfCheck::start(graph, options.self_check_options);
  ASSERT_TRUE(check) << check.error().message();
  const auto reports = run_passes(graph, options);
  ASSERT_TRUE(reports) << reports.error().message();
  const Status same = check->compare(graph, false);
  ASSERT_TRUE(same) << same.error().message();
}

}  // namespace npugraph
