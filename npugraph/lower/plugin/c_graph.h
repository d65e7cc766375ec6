// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "npugraph/ir/graph.h"
#include "npugraph/target/plugin_abi.h"

namespace npugraph {

/// A graph as the plain C structs of target/plugin_abi.h. They point into this object and into the
/// graph's names and constants, so both must outlive the use.
class CGraph {
 public:
  /// One node as a graph of its own.
  explicit CGraph(const Node& node);
  /// A whole subgraph.
  explicit CGraph(const Graph& graph);
  CGraph(const CGraph&) = delete;
  CGraph& operator=(const CGraph&) = delete;

  NpugraphGraph& get() noexcept { return graph_; }

 private:
  /// What a node's arrays point to.
  struct NodeParts {
    std::vector<int32_t> inputs;
    std::vector<int32_t> outputs;
    std::vector<NpugraphAttr> attrs;
  };
  int32_t number_of(const Value* value);
  void add_node(const Node& node);
  NpugraphAttr attr_of(const std::string& name, const AttrValue& value);
  NpugraphTensor tensor_of(const Tensor& tensor);
  const int64_t* keep_dims(std::vector<int64_t> dims);
  void finish();

  NpugraphGraph graph_ = {};
  std::map<const Value*, int32_t> numbers_;
  std::vector<NpugraphValue> values_;
  std::vector<NpugraphNode> nodes_;
  std::vector<int32_t> inputs_;
  std::vector<int32_t> outputs_;
  // Deques: what they hold stays where it is.
  std::deque<NodeParts> parts_;
  std::deque<std::vector<int64_t>> dims_;
  std::deque<std::vector<const char*>> strings_;
  std::deque<std::string> names_;
  std::deque<NpugraphTensor> tensors_;
};

}  // namespace npugraph
