// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "npugraph/frontends/onnx/attributes.h"
#include "npugraph/frontends/onnx/functions.h"
#include "npugraph/frontends/onnx/node_order.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/frontends/onnx/types.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {

/// Builds a graph from a parsed model whose operators are known to be supported. Takes the tensors
/// out of the model. One use an object.
class Importer {
 public:
  Importer(ModelProto& model, const FunctionTable& functions, TensorReader tensors,
           const ReadOptions& options)
      : model_(model), functions_(functions), tensors_(std::move(tensors)), options_(options) {}

  /// By node of the file: the graph's nodes that it became.
  using NodesMade = std::unordered_map<const NodeProto*, std::vector<const Node*>>;

  /// The graph without types. made: filled where given. Errors: see read_onnx().
  Result<std::unique_ptr<Graph>> run(NodesMade* made = nullptr);

  /// After inference: compares the outputs with what the file declares, and keeps the declared
  /// shape of an unranked one as metadata. Errors: kDTypeMismatch.
  Status check_outputs(Graph& graph) const;

 private:
  /// The model itself, or one call of a function: what attributes and domains mean inside.
  struct Frame {
    const Function* function = nullptr;  // null: the model
    const Frame* caller = nullptr;
    const NodeProto* call = nullptr;
    const Opsets* opsets = nullptr;
    std::map<std::string, AttributeProto*, std::less<>> attributes;
  };
  /// Names of one graph, or of one function body inside a graph.
  struct Scope {
    Graph* graph = nullptr;
    const Scope* outer = nullptr;  // null: the outermost graph, or a function body
    const Frame* frame = nullptr;
    std::string prefix;         // put before every name; empty outside of functions
    std::string nested_prefix;  // put before names that a graph around this one has too
    const NodeProtos* nodes = nullptr;
    int depth = 0;                                   // graphs and functions around this one
    int nesting = 0;                                 // graphs around this one
    std::unordered_map<std::string, Value*> values;  // null: an absent input of a function
    std::unordered_set<std::string_view> names;      // of nodes and values; filled when needed
  };
  using NestedGraphs = std::vector<std::pair<std::string, GraphProto*>>;

  // importer.cpp: graphs
  Status import_graph(GraphProto& proto, Scope& scope, const Node* owner);
  Status import_initializers(GraphProto& proto, Scope& scope);
  Status import_inputs(const GraphProto& proto, Scope& scope);
  Status import_nested_inputs(const GraphProto& proto, Scope& scope, const Node& owner);
  Status import_outputs(const GraphProto& proto, Scope& scope);
  Result<Value*> as_output(Value& value, const std::string& name, Scope& scope);
  Status check_keep_inputs() const;
  bool keeps_input(const std::string& name) const;

  // importer_nodes.cpp: nodes and functions
  Status import_node(NodeProto& proto, Scope& scope);
  Status import_any(NodeProto& proto, Scope& scope);
  Status import_constant(NodeProto& proto, Scope& scope);
  /// Notes that a node of the file, and every call around it, became these nodes.
  void record(const NodeProto& proto, const Scope& scope, std::span<Node* const> nodes);
  Status import_call(NodeProto& proto, Scope& scope);
  Result<std::vector<std::string>> name_outputs(const Call& call, const std::string& node,
                                                const Scope& scope) const;
  Status import_nested(Node& node, NestedGraphs& graphs, Scope& scope);
  Status read_inputs(const NodeProto& proto, const Scope& scope, std::vector<Value*>& inputs) const;
  Status read_attributes(NodeProto& proto, const Scope& scope, Attrs& attrs, NestedGraphs& graphs);
  Status inline_function(const Function& function, NodeProto& call, Scope& scope);
  Status bind_function(const Function& function, NodeProto& call, const Scope& caller, Frame& frame,
                       Scope& body);
  Result<AttributeProto*> resolve(AttributeProto& proto, const Frame& frame) const;
  Result<AttrValue> attr_value(AttributeProto& proto, const Frame& frame);
  Result<Tensor> tensor(TensorProto& proto, const Frame& frame);
  Result<Tensor> sparse_tensor(SparseTensorProto& proto, const Frame& frame);

  // names
  Status define(Scope& scope, const std::string& name, Value* value);
  Result<Value*> lookup(const Scope& scope, const std::string& name) const;
  std::string local_name(const Scope& scope, std::string_view name) const;
  /// Counts what is built, so that a small file cannot expand without end. Errors: kOnnxStructure.
  Status spend(int64_t nodes, int64_t parts);

  ModelProto& model_;
  const FunctionTable& functions_;
  TensorReader tensors_;
  const ReadOptions& options_;
  NodesMade* made_ = nullptr;
  LazyTypes types_;
  Symbols symbols_;
  int64_t nodes_ = 0;
  int64_t parts_ = 0;
  std::vector<std::pair<const Value*, TensorType>> declared_outputs_;
  // What function bodies hold is read once for each call, but can be taken out of the file once.
  std::map<const void*, Tensor> function_tensors_;
  std::map<const void*, AttrValue> function_attrs_;
};

}  // namespace npugraph::onnx
