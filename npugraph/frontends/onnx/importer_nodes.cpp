// SPDX-License-Identifier: Apache-2.0
// Nodes, Constant nodes, nested graphs, and functions that are inlined.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/importer.h"
#include "npugraph/frontends/onnx/names.h"

namespace npugraph::onnx {
namespace {

constexpr int kMaxDepth = 32;    // graphs and functions inside each other
constexpr int kMaxNesting = 16;  // graphs inside each other

Status check_depth(int depth, int nesting) {
  if (depth <= kMaxDepth && nesting <= kMaxNesting) return ok();
  return fail(ErrorId::kOnnxStructure, "graphs and functions are nested too deeply",
              text(depth, " levels"),
              text("at most ", kMaxNesting, " graphs and ", kMaxDepth, " levels with functions"));
}

/// An error of Graph::add_node without the node's name, which import_node() puts there.
Error without_place(Error error) {
  error.place.clear();
  return error;
}

template <class T>
void drop_trailing(std::vector<T>& list, const T& absent) {
  while (!list.empty() && list.back() == absent) list.pop_back();
}

}  // namespace

Status Importer::import_node(NodeProto& proto, Scope& scope) {
  NPU_TRY_AT(text("node ", shown(node_name(proto))), import_any(proto, scope));
  return ok();
}

Status Importer::import_any(NodeProto& proto, Scope& scope) {
  NPU_TRY(check_name(proto.name()));
  int64_t parts = int64_t{proto.input_size()} + proto.output_size();
  for (const auto& attribute : proto.attribute()) parts += attr_elements(attribute);
  NPU_TRY(spend(1, parts));
  if (const Function* function = functions_.find(proto); function != nullptr)
    return inline_function(*function, proto, scope);
  if (proto.op_type() == "Constant" && plain_domain(proto.domain()).empty())
    return import_constant(proto, scope);
  return import_call(proto, scope);
}

Status Importer::import_constant(NodeProto& proto, Scope& scope) {
  AttributeProto* value = nullptr;
  std::string name;
  for (AttributeProto& attribute : *proto.mutable_attribute()) {
    NPU_LET(AttributeProto* const actual, resolve(attribute, *scope.frame));
    if (actual == nullptr) continue;
    if (value != nullptr)
      return fail(ErrorId::kOnnxAttribute, "Constant has more than one value",
                  text(shown(name), " and ", shown(attribute.name())), "one");
    value = actual;
    name = attribute.name();
  }
  if (value == nullptr || proto.output_size() != 1 || proto.output(0).empty())
    return fail(ErrorId::kOnnxStructure, "Constant needs a value and one output",
                text(proto.attribute_size(), " attributes, ", proto.output_size(), " outputs"),
                "one of each");
  const bool repeated = scope.frame->function != nullptr;
  const auto known = function_tensors_.find(value);
  Tensor data;
  if (repeated && known != function_tensors_.end()) {
    data = known->second;
  } else {
    NPU_LET(data, take_constant(*value, name, tensors_));
    if (repeated) function_tensors_.emplace(value, data);
  }
  Value& constant = scope.graph->add_constant(local_name(scope, proto.output(0)), std::move(data));
  return define(scope, proto.output(0), &constant);
}

Status Importer::import_call(NodeProto& proto, Scope& scope) {
  Call call;
  call.domain = plain_domain(proto.domain());
  call.op = proto.op_type();
  NPU_LET(call.opset, opset_of(*scope.frame->opsets, call.domain));
  NPU_TRY(read_inputs(proto, scope, call.inputs));
  NestedGraphs graphs;
  NPU_TRY(read_attributes(proto, scope, call.attrs, graphs));
  call.outputs.assign(proto.output().begin(), proto.output().end());
  drop_trailing(call.outputs, std::string());

  const std::string name = local_name(scope, node_name(proto));
  const OpSchema* target = target_op(call.domain, call.op, call.opset);
  Emitter emitter(*scope.graph, name, types_);
  NPU_TRY(upgrade(call, emitter));
  drop_trailing(call.inputs, static_cast<Value*>(nullptr));
  if (target != nullptr && find_op(call.domain, call.op) == nullptr) {
    call.domain = target->domain;  // the operator's alias
    call.op = target->name;
  }
  NPU_LET(std::vector<std::string> output_names, name_outputs(call, name, scope));
  auto made = scope.graph->add_node(call.domain, call.op, name, std::move(call.inputs),
                                    std::move(call.attrs), std::move(output_names));
  if (!made) return without_place(std::move(made).error());
  Node* const node = *made;
  node->origins = {name};
  std::vector<Node*> nodes = emitter.take_made();
  nodes.push_back(node);
  record(proto, scope, nodes);
  NPU_TRY(import_nested(*node, graphs, scope));
  types_.add(*node);
  for (size_t i = 0; i < call.outputs.size(); ++i)
    if (!call.outputs[i].empty())
      NPU_TRY(define(scope, call.outputs[i], node->output(static_cast<int64_t>(i))));
  return ok();
}

void Importer::record(const NodeProto& proto, const Scope& scope, std::span<Node* const> nodes) {
  if (made_ == nullptr) return;
  const auto add = [&](const NodeProto& key) {
    auto& list = (*made_)[&key];
    list.insert(list.end(), nodes.begin(), nodes.end());
  };
  add(proto);
  for (const Frame* frame = scope.frame; frame->call != nullptr; frame = frame->caller)
    add(*frame->call);
}

Result<std::vector<std::string>> Importer::name_outputs(const Call& call, const std::string& node,
                                                        const Scope& scope) const {
  std::vector<std::string> names;
  for (const std::string& output : call.outputs) {
    NPU_TRY(check_name(output));
    // An absent output has a value all the same; its name must not be one that the file uses.
    names.push_back(output.empty() ? text(node, "/unused_", names.size())
                                   : local_name(scope, output));
  }
  return names;
}

Status Importer::import_nested(Node& node, NestedGraphs& graphs, Scope& scope) {
  const auto& wanted = node.schema().subgraphs;
  if (!graphs.empty() && scope.names.empty()) {
    for (const NodeProto& other : *scope.nodes) {
      scope.names.insert(node_name(other));
      for (const auto& output : other.output()) scope.names.insert(output);
    }
  }
  for (auto& [name, proto] : graphs) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end() ||
        node.subgraph(name) != nullptr)
      return fail(ErrorId::kOnnxAttribute, text(node.op(), " takes no such graph"), shown(name),
                  wanted.empty() ? "no graph" : join(wanted));
    NPU_TRY(check_depth(scope.depth + 1, scope.nesting + 1));
    Scope inner;
    inner.graph = &node.add_subgraph(name);
    inner.outer = &scope;
    inner.frame = scope.frame;
    inner.prefix = scope.prefix;
    inner.nested_prefix = text(scope.nested_prefix, cut(node.name()), "/", name, "/");
    inner.depth = scope.depth + 1;
    inner.nesting = scope.nesting + 1;
    NPU_TRY_AT(name, import_graph(*proto, inner, &node));
  }
  for (const std::string_view name : wanted)
    if (node.subgraph(name) == nullptr)
      return fail(ErrorId::kOnnxAttribute, text("graph '", name, "' of ", node.op()), "missing",
                  "a graph");
  return ok();
}

Status Importer::read_inputs(const NodeProto& proto, const Scope& scope,
                             std::vector<Value*>& inputs) const {
  for (const std::string& name : proto.input()) {
    if (name.empty()) {
      inputs.push_back(nullptr);
      continue;
    }
    NPU_LET(Value* const value, lookup(scope, name));
    inputs.push_back(value);
  }
  return ok();
}

Status Importer::read_attributes(NodeProto& proto, const Scope& scope, Attrs& attrs,
                                 NestedGraphs& graphs) {
  for (AttributeProto& attribute : *proto.mutable_attribute()) {
    const std::string& name = attribute.name();
    NPU_TRY(check_name(name));
    if (attrs.has(name))
      return fail(ErrorId::kOnnxAttribute, "an attribute is given twice", shown(name), "once");
    NPU_LET(AttributeProto* const actual, resolve(attribute, *scope.frame));
    if (actual == nullptr) continue;
    if (attr_type(*actual) == AttributeProto::GRAPH) {
      if (actual != &attribute)
        return fail(ErrorId::kOnnxAttribute, "a graph as a function's attribute is not supported",
                    shown(name), "a number, a string or a tensor");
      graphs.emplace_back(name, actual->mutable_g());
      continue;
    }
    auto value = attr_value(*actual, *scope.frame);
    if (!value) return at(text("attribute ", shown(name)), std::move(value).error());
    attrs.set(name, *std::move(value));
  }
  return ok();
}

Result<AttributeProto*> Importer::resolve(AttributeProto& proto, const Frame& frame) const {
  if (proto.ref_attr_name().empty()) return &proto;
  if (frame.function == nullptr)
    return fail(ErrorId::kOnnxAttribute, text("attribute ", shown(proto.name())),
                text("a reference to ", shown(proto.ref_attr_name())),
                "a value, outside functions");
  const auto hit = frame.attributes.find(proto.ref_attr_name());
  return hit != frame.attributes.end() ? hit->second : static_cast<AttributeProto*>(nullptr);
}

Result<AttrValue> Importer::attr_value(AttributeProto& proto, const Frame& frame) {
  if (frame.function == nullptr) return take_attr(proto, tensors_);
  const auto known = function_attrs_.find(&proto);
  if (known != function_attrs_.end()) return known->second;
  NPU_LET(AttrValue value, take_attr(proto, tensors_));
  function_attrs_.emplace(&proto, value);
  return value;
}

Result<Tensor> Importer::tensor(TensorProto& proto, const Frame& frame) {
  if (frame.function == nullptr) return tensors_.take(proto);
  const auto known = function_tensors_.find(&proto);
  if (known != function_tensors_.end()) return known->second;
  NPU_LET(Tensor data, tensors_.take(proto));
  function_tensors_.emplace(&proto, data);
  return data;
}

Result<Tensor> Importer::sparse_tensor(SparseTensorProto& proto, const Frame& frame) {
  if (frame.function == nullptr) return tensors_.take_sparse(proto);
  const auto known = function_tensors_.find(&proto);
  if (known != function_tensors_.end()) return known->second;
  NPU_LET(Tensor data, tensors_.take_sparse(proto));
  function_tensors_.emplace(&proto, data);
  return data;
}

Status Importer::inline_function(const Function& function, NodeProto& call, Scope& scope) {
  NPU_TRY(check_depth(scope.depth + 1, scope.nesting));
  for (const Frame* frame = scope.frame; frame != nullptr; frame = frame->caller)
    if (frame->function == &function)
      return fail(ErrorId::kOnnxStructure, "a function calls itself", shown(function.proto->name()),
                  "functions without recursion");
  Frame frame;
  Scope body;
  NPU_TRY(bind_function(function, call, scope, frame, body));
  for (const int index : function.order)
    NPU_TRY(import_node(*function.proto->mutable_node(index), body));
  for (int i = 0; i < call.output_size(); ++i) {
    if (call.output(i).empty()) continue;
    NPU_LET(Value* const value, lookup(body, function.proto->output(i)));
    if (value == nullptr)
      return fail(ErrorId::kOnnxStructure, "an output of a function is an absent input",
                  shown(function.proto->output(i)), "a value");
    NPU_TRY(define(scope, call.output(i), value));
  }
  return ok();
}

Status Importer::bind_function(const Function& function, NodeProto& call, const Scope& caller,
                               Frame& frame, Scope& body) {
  FunctionProto& proto = *function.proto;
  if (call.input_size() > proto.input_size() || call.output_size() > proto.output_size())
    return fail(ErrorId::kBadArity, text("call of function ", shown(proto.name())),
                text(call.input_size(), " inputs, ", call.output_size(), " outputs"),
                text("at most ", proto.input_size(), " and ", proto.output_size()));
  frame.function = &function;
  frame.caller = caller.frame;
  frame.call = &call;
  frame.opsets = &function.opsets;
  for (AttributeProto& fallback : *proto.mutable_attribute_proto())
    frame.attributes[fallback.name()] = &fallback;
  for (AttributeProto& given : *call.mutable_attribute()) {
    NPU_LET(AttributeProto* const actual, resolve(given, *caller.frame));
    if (actual != nullptr) frame.attributes[given.name()] = actual;
  }
  NPU_TRY(spend(0, int64_t{proto.input_size()} + proto.attribute_proto_size()));

  body.graph = caller.graph;
  body.frame = &frame;
  body.prefix = text(cut(caller.prefix), cut(node_name(call)), "/");
  body.nested_prefix = caller.nested_prefix;
  body.nodes = &proto.node();
  body.depth = caller.depth + 1;
  body.nesting = caller.nesting;
  std::vector<Value*> inputs;
  NPU_TRY(read_inputs(call, caller, inputs));
  inputs.resize(static_cast<size_t>(proto.input_size()), nullptr);
  for (int i = 0; i < proto.input_size(); ++i)
    NPU_TRY(define(body, proto.input(i), inputs[static_cast<size_t>(i)]));
  return ok();
}

}  // namespace npugraph::onnx
