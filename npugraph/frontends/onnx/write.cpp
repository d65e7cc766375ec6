// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/write.h"

#include <algorithm>
#include <limits>
#include <set>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/data_file.h"
#include "npugraph/frontends/onnx/names.h"
#include "npugraph/frontends/onnx/onnx.pb.h"
#include "npugraph/frontends/onnx/versions.h"

namespace npugraph {
namespace onnx {
namespace {

void write_shape(const Shape& shape, TensorShapeProto& proto) {
  for (const Dim& dim : shape.dims()) {
    auto& out = *proto.add_dim();
    if (const auto number = dim.known()) {
      out.set_dim_value(*number);
      continue;
    }
    const auto symbols = dim.symbols();
    if (std::none_of(symbols.begin(), symbols.end(), is_late_symbol)) out.set_dim_param(dim.str());
  }
}

void write_info(const Value& value, const std::string& name, ValueInfoProto& proto) {
  proto.set_name(name);
  if (!value.has_type) return;
  auto& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_dtype(value.type.dtype));
  if (value.type.shape.ranked()) write_shape(value.type.shape, *tensor.mutable_shape());
}

void write_tensor(const Tensor& tensor, TensorProto& proto) {
  proto.set_data_type(onnx_dtype(tensor.dtype()));
  for (const int64_t dim : tensor.dims()) proto.add_dims(dim);
  const auto bytes = tensor.bytes();
  proto.set_raw_data(bytes.data(), bytes.size());
}

void write_attr(const std::string& name, const AttrValue& value, AttributeProto& proto) {
  proto.set_name(name);
  switch (kind_of(value)) {
    case AttrKind::kInt:
      proto.set_type(AttributeProto::INT);
      proto.set_i(std::get<int64_t>(value));
      return;
    case AttrKind::kFloat:
      proto.set_type(AttributeProto::FLOAT);
      proto.set_f(static_cast<float>(std::get<double>(value)));
      return;
    case AttrKind::kString:
      proto.set_type(AttributeProto::STRING);
      proto.set_s(std::get<std::string>(value));
      return;
    case AttrKind::kInts:
      proto.set_type(AttributeProto::INTS);
      for (const int64_t number : std::get<Ints>(value)) proto.add_ints(number);
      return;
    case AttrKind::kFloats:
      proto.set_type(AttributeProto::FLOATS);
      for (const double number : std::get<Floats>(value))
        proto.add_floats(static_cast<float>(number));
      return;
    case AttrKind::kStrings:
      proto.set_type(AttributeProto::STRINGS);
      for (const std::string& word : std::get<Strings>(value)) proto.add_strings(word);
      return;
    case AttrKind::kTensor:
      proto.set_type(AttributeProto::TENSOR);
      write_tensor(std::get<Tensor>(value), *proto.mutable_t());
      return;
  }
}

/// Tensors that no reader wants in a file apart: shapes and the like, which inference reads.
constexpr size_t kSmallest_bytes = 1024;

bool goes_outside(const Tensor& tensor) { return tensor.bytes().size() >= kSmallest_bytes; }

/// Calls `visit` for every constant, nested graphs included.
template <class Visit>
void each_constant(const Graph& graph, const Visit& visit) {
  for (const Value* value : graph.values())
    if (value->constant() != nullptr) visit(*value->constant());
  for (const Node* node : graph.nodes())
    for (const auto& [name, nested] : node->subgraphs()) each_constant(*nested, visit);
}

class Writer {
 public:
  Writer() = default;
  /// Large constants are in `data`, whose file has this name.
  Writer(DataFile& data, std::string location) : data_(&data), location_(std::move(location)) {}

  Result<std::string> run(const Graph& graph) {
    NPU_TRY(find_opset(graph));
    ModelProto model;
    model.set_ir_version(ir_version_for(opset_));
    model.set_producer_name("npugraph");
    NPU_TRY(write_graph(graph, *model.mutable_graph()));
    add_import(model, "", opset_);
    for (const std::string_view domain : domains_) add_import(model, domain, 1);
    const size_t length_bytes = model.ByteSizeLong();
    if (length_bytes > static_cast<size_t>(std::numeric_limits<int>::max()))
      return fail(ErrorId::kOnnxWrite, "the model is larger than protobuf allows",
                  text(length_bytes, " bytes"), "less than 2 GiB");
    std::string out;
    if (!model.SerializeToString(&out))
      return fail(ErrorId::kOnnxWrite, "the model cannot be serialised");
    return out;
  }

 private:
  static void add_import(ModelProto& model, std::string_view domain, int64_t version) {
    auto& import = *model.add_opset_import();
    import.set_domain(std::string(domain));
    import.set_version(version);
  }

  /// One opset serves the whole model.
  Status find_opset(const Graph& graph) {
    for (const Node* node : graph.nodes()) {
      const std::string_view domain = node->schema().domain;
      if (domain == "npugraph")
        return at(text("node '", node->name(), "'"),
                  fail(ErrorId::kOnnxWrite, "an operator of npugraph's own has no ONNX form",
                       text("npugraph.", node->op()), "operators of ai.onnx or com.microsoft",
                       "write the graph before the passes that fuse nodes"));
      if (!domain.empty()) domains_.insert(domain);
      opset_ = std::max(opset_, needed_opset(*node));
      for (const auto& [name, nested] : node->subgraphs()) NPU_TRY(find_opset(*nested));
    }
    return ok();
  }

  Status write_graph(const Graph& graph, GraphProto& proto) {
    proto.set_name(graph.name().empty() ? "graph" : graph.name());
    for (const Value* value : graph.inputs()) write_info(*value, value->name(), *proto.add_input());
    for (const Value* value : graph.values()) {
      if (value->constant() == nullptr) continue;
      auto& tensor = *proto.add_initializer();
      tensor.set_name(value->name());
      write_constant(*value->constant(), tensor);
    }
    for (const Node* node : graph.nodes()) {
      NPU_TRY_AT(text("node '", node->name(), "'"), write_node(*node, *proto.add_node()));
      for (const Value* value : node->outputs())
        if (value->has_type && !value->is_graph_output())
          write_info(*value, value->name(), *proto.add_value_info());
    }
    write_outputs(graph, proto);
    return ok();
  }

  void write_constant(const Tensor& tensor, TensorProto& proto) {
    if (data_ == nullptr || !goes_outside(tensor)) {
      write_tensor(tensor, proto);
      return;
    }
    proto.set_data_type(onnx_dtype(tensor.dtype()));
    for (const int64_t dim : tensor.dims()) proto.add_dims(dim);
    proto.set_data_location(TensorProto::EXTERNAL);
    const auto entry = [&](const char* key, const std::string& value) {
      auto& row = *proto.add_external_data();
      row.set_key(key);
      row.set_value(value);
    };
    entry("location", location_);
    entry("offset", text(data_->add(tensor.bytes())));
    entry("length", text(tensor.bytes().size()));
  }

  /// ONNX names an output once, and it must be a value of the same graph.
  void write_outputs(const Graph& graph, GraphProto& proto) {
    std::set<const Value*> listed;
    for (const Value* value : graph.outputs()) {
      std::string name = value->name();
      if (&value->graph() != &graph || !listed.insert(value).second) {
        name = graph.unique_name(text(value->name(), "_output_", proto.output_size()));
        auto& copy = *proto.add_node();
        copy.set_op_type("Identity");
        copy.set_name(name);
        copy.add_input(value->name());
        copy.add_output(name);
      }
      auto& info = *proto.add_output();
      write_info(*value, name, info);
      write_declared_shape(graph, *value, info);
    }
  }

  /// Checkers want a shape on every output of the model: of an unranked one, what its file
  /// declared.
  static void write_declared_shape(const Graph& graph, const Value& value, ValueInfoProto& info) {
    if (!value.has_type || value.type.shape.ranked()) return;
    const auto declared = graph.metadata.find(declared_shape_key(value.name()));
    if (declared == graph.metadata.end()) return;
    const auto shape = Shape::parse(declared->second);
    if (shape && shape->ranked())
      write_shape(*shape, *info.mutable_type()->mutable_tensor_type()->mutable_shape());
  }

  Status write_node(const Node& node, NodeProto& proto) {
    proto.set_name(node.name());
    proto.set_op_type(std::string(node.op()));
    proto.set_domain(std::string(node.schema().domain));
    auto inputs = node.inputs();
    while (!inputs.empty() && inputs.back() == nullptr) inputs = inputs.first(inputs.size() - 1);
    for (const Value* value : inputs) proto.add_input(value != nullptr ? value->name() : "");
    for (const Value* value : node.outputs()) proto.add_output(value->name());
    for (const auto& [name, value] : node.attrs()) {
      if (attr_since(node, name).value_or(0) > opset_)
        continue;  // at its default, by needed_opset()
      write_attr(name, value, *proto.add_attribute());
    }
    for (const auto& [name, nested] : node.subgraphs()) {
      auto& attribute = *proto.add_attribute();
      attribute.set_name(name);
      attribute.set_type(AttributeProto::GRAPH);
      NPU_TRY_AT(name, write_graph(*nested, *attribute.mutable_g()));
    }
    return ok();
  }

  int64_t opset_ = kWrittenOpset;
  std::set<std::string_view> domains_;
  DataFile* data_ = nullptr;
  std::string location_;
};

Result<std::filesystem::path> write_with_data(const Graph& graph,
                                              const std::filesystem::path& path) {
  DataFile data;
  each_constant(graph, [&](const Tensor& tensor) {
    if (goes_outside(tensor)) data.add(tensor.bytes());
  });
  const std::string location = text(path.filename().string(), ".", data.digest(), ".data");
  if (!is_utf8(location))
    return fail(ErrorId::kOnnxWrite, "the name of a model with external data is not UTF-8",
                shown(location), "UTF-8 text");
  NPU_LET(const std::string bytes, Writer(data, location).run(graph));
  const std::filesystem::path data_path = path.parent_path() / location;
  std::error_code unknown;
  const bool was_there = std::filesystem::exists(data_path, unknown);
  NPU_TRY(data.write(data_path));
  Status written = write_file(path, bytes);
  if (!written) {
    if (!was_there) std::filesystem::remove(data_path, unknown);
    return std::move(written).error();
  }
  return data_path;
}

}  // namespace
}  // namespace onnx

Result<std::string> write_onnx(const Graph& graph) { return onnx::Writer().run(graph); }

Result<std::filesystem::path> write_onnx_file(const Graph& graph, const std::filesystem::path& path,
                                              int64_t max_inside_bytes) {
  int64_t constant_bytes = 0;
  onnx::each_constant(graph, [&](const Tensor& tensor) {
    constant_bytes += static_cast<int64_t>(tensor.bytes().size());
  });
  if (constant_bytes > max_inside_bytes) return onnx::write_with_data(graph, path);
  NPU_LET(const std::string bytes, write_onnx(graph));
  NPU_TRY(write_file(path, bytes));
  return std::filesystem::path();
}

}  // namespace npugraph
