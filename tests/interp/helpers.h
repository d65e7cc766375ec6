// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "npugraph/interp/interp.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"

namespace npugraph {

template <class T>
std::string why(const Result<T>& result) {
  return result ? std::string("no error") : result.error().message();
}

/// A typed and verified graph from text.
inline std::unique_ptr<Graph> graph_of(std::string_view text) {
  auto graph = parse(text);
  EXPECT_TRUE(graph.has_value()) << why(graph);
  if (!graph) return std::make_unique<Graph>();
  const Status typed = infer_types(**graph);
  EXPECT_TRUE(typed) << why(typed);
  const Status sound = verify(**graph);
  EXPECT_TRUE(sound) << why(sound);
  return std::move(*graph);
}

inline std::vector<Tensor> run(const Graph& graph, const std::vector<Tensor>& inputs,
                               const InterpretOptions& options = {}) {
  auto outputs = interpret(graph, inputs, options);
  EXPECT_TRUE(outputs.has_value()) << why(outputs);
  return outputs ? *std::move(outputs) : std::vector<Tensor>(graph.outputs().size());
}

inline std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> out;
  for (int64_t i = 0; i < tensor.elements(); ++i) out.push_back(tensor.view().load(i));
  return out;
}

inline Tensor flag(bool value) { return Tensor::scalar(DType::kBool, value ? 1 : 0); }
inline Tensor count_of(int64_t value) { return Tensor::of_ints({value}, {}); }

}  // namespace npugraph
