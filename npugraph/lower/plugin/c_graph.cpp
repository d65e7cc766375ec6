// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/plugin/c_graph.h"

#include <utility>

namespace npugraph {
namespace {

/// Numbers where they are known, -1 elsewhere.
std::vector<int64_t> dims_or_unknown(const Shape& shape) {
  std::vector<int64_t> out;
  if (!shape.ranked()) return out;
  for (const Dim& dim : shape.dims()) out.push_back(dim.known().value_or(-1));
  return out;
}

// Constants are read-only for plug-ins by contract; NpugraphTensor::data is also used for outputs.
void* as_data(std::span<const std::byte> bytes) {
  return const_cast<std::byte*>(bytes.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace

CGraph::CGraph(const Node& node) {
  for (const Value* value : node.inputs()) {
    if (value == nullptr || numbers_.contains(value)) continue;
    const int32_t number = number_of(value);
    if (value->constant() == nullptr) inputs_.push_back(number);
  }
  add_node(node);
  outputs_ = parts_.back().outputs;
  finish();
}

CGraph::CGraph(const Graph& graph) {
  for (const Value* value : graph.inputs()) inputs_.push_back(number_of(value));
  for (const Node* node : graph.nodes()) add_node(*node);
  for (const Value* value : graph.outputs()) outputs_.push_back(number_of(value));
  finish();
}

const int64_t* CGraph::keep_dims(std::vector<int64_t> dims) {
  return dims_.emplace_back(std::move(dims)).data();
}

int32_t CGraph::number_of(const Value* value) {
  if (value == nullptr) return -1;
  const auto [place, is_new] = numbers_.emplace(value, static_cast<int32_t>(values_.size()));
  if (!is_new) return place->second;
  NpugraphValue out = {.name = value->name().c_str(),
                       .dtype = 0,
                       .rank = -1,
                       .dims = nullptr,
                       .data = nullptr,
                       .size_bytes = 0};
  if (value->has_type) {
    out.dtype = onnx_dtype(value->type.dtype);
    out.rank = static_cast<int32_t>(value->type.shape.rank());
    out.dims = keep_dims(dims_or_unknown(value->type.shape));
  }
  if (const Tensor* constant = value->constant()) {
    out.data = as_data(constant->bytes());
    out.size_bytes = std::ssize(constant->bytes());
  }
  values_.push_back(out);
  return place->second;
}

NpugraphTensor CGraph::tensor_of(const Tensor& tensor) {
  return {.dtype = onnx_dtype(tensor.dtype()),
          .rank = static_cast<int32_t>(tensor.dims().size()),
          .dims = tensor.dims().data(),
          .data = as_data(tensor.bytes()),
          .size_bytes = std::ssize(tensor.bytes())};
}

NpugraphAttr CGraph::attr_of(const std::string& name, const AttrValue& value) {
  NpugraphAttr out = {};
  out.name = name.c_str();
  out.kind = static_cast<int32_t>(kind_of(value));
  switch (kind_of(value)) {
    case AttrKind::kInt:
      out.i = std::get<int64_t>(value);
      break;
    case AttrKind::kFloat:
      out.f = std::get<double>(value);
      break;
    case AttrKind::kString:
      out.s = std::get<std::string>(value).c_str();
      break;
    case AttrKind::kInts:
      out.ints = std::get<Ints>(value).data();
      out.count = std::ssize(std::get<Ints>(value));
      break;
    case AttrKind::kFloats:
      out.floats = std::get<Floats>(value).data();
      out.count = std::ssize(std::get<Floats>(value));
      break;
    case AttrKind::kStrings: {
      auto& list = strings_.emplace_back();
      for (const std::string& item : std::get<Strings>(value)) list.push_back(item.c_str());
      out.strings = list.data();
      out.count = std::ssize(list);
      break;
    }
    case AttrKind::kTensor:
      out.tensor = &tensors_.emplace_back(tensor_of(std::get<Tensor>(value)));
      break;
  }
  return out;
}

void CGraph::add_node(const Node& node) {
  NodeParts& parts = parts_.emplace_back();
  for (const Value* value : node.inputs()) parts.inputs.push_back(number_of(value));
  for (const Value* value : node.outputs()) parts.outputs.push_back(number_of(value));
  for (const auto& [name, value] : node.attrs()) parts.attrs.push_back(attr_of(name, value));
  // The schema's texts are views without a zero at their end.
  const std::string& domain = names_.emplace_back(node.schema().domain);
  const std::string& op = names_.emplace_back(node.op());
  nodes_.push_back({.domain = domain.c_str(),
                    .op = op.c_str(),
                    .name = node.name().c_str(),
                    .input_count = std::ssize(parts.inputs),
                    .inputs = parts.inputs.data(),
                    .output_count = std::ssize(parts.outputs),
                    .outputs = parts.outputs.data(),
                    .attr_count = std::ssize(parts.attrs),
                    .attrs = parts.attrs.data()});
}

void CGraph::finish() {
  graph_.struct_bytes = sizeof(NpugraphGraph);
  graph_.value_count = std::ssize(values_);
  graph_.values = values_.data();
  graph_.node_count = std::ssize(nodes_);
  graph_.nodes = nodes_.data();
  graph_.input_count = std::ssize(inputs_);
  graph_.inputs = inputs_.data();
  graph_.output_count = std::ssize(outputs_);
  graph_.outputs = outputs_.data();
}

}  // namespace npugraph
