// SPDX-License-Identifier: Apache-2.0
// Models for tests, built through the ONNX messages, and a way to run what was read.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "npugraph/base/file.h"
#include "npugraph/frontends/onnx/onnx.pb.h"
#include "npugraph/frontends/onnx/read.h"

namespace npugraph {

/// A declared dimension: a number, a name, or nothing.
using Declared = std::variant<std::monostate, int64_t, std::string>;

inline void declare(onnx::ValueInfoProto& info, const std::string& name, int dtype,
                    const std::optional<std::vector<Declared>>& dims) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(dtype);
  if (!dims) return;
  auto& shape = *tensor.mutable_shape();
  for (const Declared& dim : *dims) {
    auto& out = *shape.add_dim();
    if (const auto* number = std::get_if<int64_t>(&dim)) out.set_dim_value(*number);
    if (const auto* param = std::get_if<std::string>(&dim)) out.set_dim_param(*param);
  }
}

inline void fill(onnx::TensorProto& tensor, const std::string& name, const Dims& dims,
                 const std::vector<float>& values) {
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  for (const float value : values) tensor.add_float_data(value);
}

inline void fill(onnx::TensorProto& tensor, const std::string& name, const Dims& dims,
                 const std::vector<int64_t>& values) {
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  for (const int64_t value : values) tensor.add_int64_data(value);
}

inline void set_attr(onnx::AttributeProto& attr, int64_t value) {
  attr.set_type(onnx::AttributeProto::INT);
  attr.set_i(value);
}
inline void set_attr(onnx::AttributeProto& attr, float value) {
  attr.set_type(onnx::AttributeProto::FLOAT);
  attr.set_f(value);
}
inline void set_attr(onnx::AttributeProto& attr, const char* value) {
  attr.set_type(onnx::AttributeProto::STRING);
  attr.set_s(value);
}
inline void set_attr(onnx::AttributeProto& attr, const std::vector<int64_t>& values) {
  attr.set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attr.add_ints(value);
}
inline void set_attr(onnx::AttributeProto& attr, const std::vector<float>& values) {
  attr.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : values) attr.add_floats(value);
}

/// A node with a fluent face: node(graph, "Concat", {"a", "b"}, {"c"}).attr("axis", int64_t{1}).
class NodeBuilder {
 public:
  explicit NodeBuilder(onnx::NodeProto& proto) : proto_(&proto) {}
  template <class T>
  NodeBuilder& attr(const std::string& name, const T& value) {
    auto& attribute = *proto_->add_attribute();
    attribute.set_name(name);
    set_attr(attribute, value);
    return *this;
  }
  /// An attribute of a function's node that stands for the call's attribute `of`.
  NodeBuilder& refer(const std::string& name, const std::string& of,
                     onnx::AttributeProto::AttributeType type) {
    auto& attribute = *proto_->add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    attribute.set_ref_attr_name(of);
    return *this;
  }
  onnx::GraphProto& graph(const std::string& name) {
    auto& attribute = *proto_->add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->set_name(name);
    return *attribute.mutable_g();
  }
  onnx::AttributeProto& raw_attr(const std::string& name) {
    auto& attribute = *proto_->add_attribute();
    attribute.set_name(name);
    return attribute;
  }
  NodeBuilder& domain(const std::string& name) {
    proto_->set_domain(name);
    return *this;
  }
  NodeBuilder& name(const std::string& name) {
    proto_->set_name(name);
    return *this;
  }

 private:
  onnx::NodeProto* proto_;
};

template <class Owner>  // GraphProto or FunctionProto
NodeBuilder node(Owner& owner, const std::string& op, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs) {
  auto& proto = *owner.add_node();
  proto.set_op_type(op);
  if (!outputs.empty()) proto.set_name("n_" + outputs[0]);
  for (const std::string& input : inputs) proto.add_input(input);
  for (const std::string& output : outputs) proto.add_output(output);
  return NodeBuilder(proto);
}

/// A whole model of one opset.
struct Model {
  explicit Model(int64_t opset = 20) {
    proto.set_ir_version(8);
    proto.set_producer_name("tests");
    import("", opset);
    proto.mutable_graph()->set_name("main");
  }
  void import(const std::string& domain, int64_t version) {
    auto& entry = *proto.add_opset_import();
    entry.set_domain(domain);
    entry.set_version(version);
  }
  onnx::GraphProto& graph() { return *proto.mutable_graph(); }
  void input(const std::string& name, std::optional<std::vector<Declared>> dims,
             int dtype = onnx::TensorProto::FLOAT) {
    declare(*graph().add_input(), name, dtype, dims);
  }
  void output(const std::string& name) { graph().add_output()->set_name(name); }
  template <class T>
  void constant(const std::string& name, const Dims& dims, const std::vector<T>& values) {
    fill(*graph().add_initializer(), name, dims, values);
  }
  std::string bytes() const { return proto.SerializeAsString(); }
  Result<std::unique_ptr<Graph>> read(const ReadOptions& options = {}) const {
    const std::string text = bytes();
    return read_onnx(bytes_of(text), options);
  }

  onnx::ModelProto proto;
};

/// The graph, or a test failure and null.
inline std::unique_ptr<Graph> must_read(const Model& model, const ReadOptions& options = {}) {
  auto graph = model.read(options);
  if (graph) return *std::move(graph);
  ADD_FAILURE() << graph.error().message();
  return nullptr;
}

/// Expects a failure of this kind whose message holds `word`.
inline void expect_error(const Model& model, ErrorId id, const std::string& word = {}) {
  const auto graph = model.read();
  ASSERT_FALSE(graph.has_value()) << "was read: " << word;
  EXPECT_EQ(graph.error().id, id) << graph.error().message();
  EXPECT_NE(graph.error().message().find(word), std::string::npos) << graph.error().message();
}

/// Runs a graph without control flow node by node with the reference implementations. Inputs by
/// name; the tensors of its outputs, or nothing and a test failure.
inline std::vector<Tensor> run_reference(const Graph& graph,
                                         const std::map<std::string, Tensor>& inputs) {
  std::map<const Value*, Tensor> values;
  for (const Value* value : graph.values())
    if (value->constant() != nullptr) values[value] = *value->constant();
  for (const Value* value : graph.inputs()) values[value] = inputs.at(value->name());
  for (const Node* node : graph.nodes()) {
    std::vector<TensorView> in;
    for (const Value* value : node->inputs())
      in.push_back(value != nullptr ? values.at(value).view() : no_tensor());
    const auto count = static_cast<int64_t>(node->outputs().size());
    const auto types = infer_concrete(node->schema(), node->attrs(), in, count);
    if (!types) {
      ADD_FAILURE() << node->name() << ": " << types.error().message();
      return {};
    }
    std::vector<TensorView> out;
    for (size_t i = 0; i < types->size(); ++i) {
      const Value* value = node->outputs()[i];
      values[value] = *Tensor::zeros((*types)[i].dtype, *(*types)[i].shape.known());
      out.push_back(values[value].mutable_view());
    }
    const Status status = node->schema().reference({in, out, node->attrs()});
    EXPECT_TRUE(status.has_value()) << node->name() << ": " << status.error().message();
  }
  std::vector<Tensor> results;
  for (const Value* value : graph.outputs()) results.push_back(values.at(value));
  return results;
}

inline std::vector<float> floats_of(const Tensor& tensor) {
  const auto elements = tensor.as<float>();
  return {elements.begin(), elements.end()};
}

/// Reads the model, runs it on float inputs, returns the floats of output 0.
inline std::vector<float> run_floats(const Model& model,
                                     const std::map<std::string, Tensor>& inputs) {
  const auto graph = must_read(model);
  if (graph == nullptr) return {};
  const auto results = run_reference(*graph, inputs);
  return results.empty() ? std::vector<float>() : floats_of(results[0]);
}

}  // namespace npugraph
