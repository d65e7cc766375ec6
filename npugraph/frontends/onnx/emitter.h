// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph::onnx {

/// Types that are known while a graph is being read. Inference runs only when somebody asks: most
/// models need no types to be read.
class LazyTypes {
 public:
  void add(Node& node) { pending_.push_back(&node); }
  /// Null when nothing is known. Inference errors are left to the check of the finished graph.
  const TensorType* type_of(const Value& value);

 private:
  std::vector<Node*> pending_;  // in order of making, nested graphs included
};

/// Adds the nodes and constants that one node of the file stands for.
class Emitter {
 public:
  /// name: of the node in the file; what is added gets names that begin with it.
  Emitter(Graph& graph, std::string name, LazyTypes& types)
      : graph_(graph), name_(std::move(name)), types_(types) {}

  Value* constant(std::string_view role, Tensor data) {
    return &graph_.add_constant(name_ + "/" + std::string(role), std::move(data));
  }
  Value* ints(std::string_view role, const Ints& values) {
    return constant(role, Tensor::of_ints(values));
  }
  /// The output of a new node of domain ai.onnx. Errors: as Graph::add_node.
  Result<Value*> node(std::string_view op, std::vector<Value*> inputs, Attrs attrs = {});
  /// Any node, under the given names. Errors: as Graph::add_node.
  Result<Node*> add(std::string_view domain, std::string_view op, std::string name,
                    std::vector<Value*> inputs, Attrs attrs, std::vector<std::string> outputs);

  /// The nodes that were added, in order; the list is empty afterwards.
  std::vector<Node*> take_made() { return std::exchange(made_, {}); }

  /// Null when not known.
  const TensorType* type_of(const Value* value) {
    return value != nullptr ? types_.type_of(*value) : nullptr;
  }
  /// The dtype where known, else float32.
  DType dtype_of(const Value* value) {
    const TensorType* type = type_of(value);
    return type != nullptr ? type->dtype : DType::kF32;
  }

 private:
  Graph& graph_;
  std::string name_;
  LazyTypes& types_;
  std::vector<Node*> made_;
};

}  // namespace npugraph::onnx
