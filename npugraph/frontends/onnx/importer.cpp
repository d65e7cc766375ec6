// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/importer.h"

#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"

namespace npugraph::onnx {
namespace {

constexpr int64_t kPartsPerNode = 64;  // inputs, outputs and attribute elements, on average

}  // namespace

Result<std::unique_ptr<Graph>> Importer::run(NodesMade* made) {
  made_ = made;
  NPU_TRY(check_keep_inputs());
  GraphProto& proto = *model_.mutable_graph();
  NPU_LET(const Opsets opsets, read_opsets(model_.opset_import()));
  NPU_TRY(check_name(proto.name()));
  auto graph = std::make_unique<Graph>(proto.name().empty() ? "graph" : proto.name());
  const Frame frame{
      .function = nullptr, .caller = nullptr, .call = nullptr, .opsets = &opsets, .attributes = {}};
  Scope scope;
  scope.graph = graph.get();
  scope.frame = &frame;
  NPU_TRY(import_graph(proto, scope, nullptr));

  graph->metadata["producer"] = printable(cut(model_.producer_name()));
  graph->metadata["producer_version"] = printable(cut(model_.producer_version()));
  graph->metadata["ir_version"] = text(model_.ir_version());
  for (const auto& [domain, version] : opsets)
    graph->metadata[domain.empty() ? "opset" : text("opset.", printable(cut(domain)))] =
        text(version);
  return graph;
}

Status Importer::check_outputs(Graph& graph) const {
  for (const auto& [value, declared] : declared_outputs_) {
    // Branches of other ranks leave an output unranked; what the file hopes for is kept as text.
    if (value->has_type && !value->type.shape.ranked() && declared.shape.ranked())
      graph.metadata[declared_shape_key(value->name())] = declared.shape.str();
    if (value->has_type && value->type.dtype != declared.dtype)
      return fail(ErrorId::kDTypeMismatch,
                  text("output ", shown(value->name()), " is declared with another dtype"),
                  std::string(dtype_name(declared.dtype)),
                  text(dtype_name(value->type.dtype), ", as its node gives"));
  }
  return ok();
}

bool Importer::keeps_input(const std::string& name) const {
  return std::find(options_.keep_inputs.begin(), options_.keep_inputs.end(), name) !=
         options_.keep_inputs.end();
}

Status Importer::check_keep_inputs() const {
  for (const std::string& wanted : options_.keep_inputs) {
    std::vector<std::string_view> names;
    for (const auto& input : model_.graph().input()) names.push_back(cut(input.name()));
    if (std::find(names.begin(), names.end(), wanted) == names.end())
      return fail(ErrorId::kBadOption, "the model has no such input", shown(wanted),
                  names.size() > 100 ? "an input of the model" : join(names));
  }
  return ok();
}

Status Importer::import_graph(GraphProto& proto, Scope& scope, const Node* owner) {
  scope.nodes = &proto.node();
  NPU_LET(const std::vector<int> order, node_order(proto.node()));
  NPU_TRY(import_initializers(proto, scope));
  if (owner == nullptr) {
    NPU_TRY(import_inputs(proto, scope));
  } else {
    NPU_TRY(import_nested_inputs(proto, scope, *owner));
  }
  for (const auto& info : proto.value_info()) NPU_TRY(check_declared(info));
  for (const int index : order) NPU_TRY(import_node(*proto.mutable_node(index), scope));
  return import_outputs(proto, scope);
}

Status Importer::import_initializers(GraphProto& proto, Scope& scope) {
  const bool outermost = scope.outer == nullptr && scope.frame->function == nullptr;
  const auto add = [&](const std::string& name, Result<Tensor> data) -> Status {
    if (!data) return at(text("initializer ", shown(name)), std::move(data).error());
    if (name.empty())
      return fail(ErrorId::kOnnxStructure, "an initializer has no name", "''", "a name");
    Value& value = scope.graph->add_constant(local_name(scope, name), *std::move(data));
    return define(scope, name, &value);
  };
  for (TensorProto& initializer : *proto.mutable_initializer()) {
    NPU_TRY(check_name(initializer.name()));
    NPU_TRY(spend(0, 1));
    const std::string name = initializer.name();
    if (outermost && keeps_input(name)) continue;
    NPU_TRY(add(name, tensor(initializer, *scope.frame)));
  }
  for (SparseTensorProto& initializer : *proto.mutable_sparse_initializer()) {
    NPU_TRY(check_name(initializer.values().name()));
    NPU_TRY(spend(0, 1));
    const std::string name = initializer.values().name();
    NPU_TRY(add(name, sparse_tensor(initializer, *scope.frame)));
  }
  return ok();
}

Status Importer::import_inputs(const GraphProto& proto, Scope& scope) {
  std::unordered_set<std::string_view> seen;
  for (const ValueInfoProto& input : proto.input()) {
    const std::string place = text("input ", shown(input.name()));
    NPU_TRY_AT(place, check_name(input.name()));
    if (input.name().empty() || !seen.insert(input.name()).second)
      return at(place, fail(ErrorId::kOnnxStructure, "a graph input has no name of its own",
                            shown(input.name()), "a name that no other input has"));
    // Older files list their constants as inputs too.
    if (scope.values.contains(input.name())) continue;
    auto type = read_type(input, symbols_);
    if (!type) return at(place, std::move(type).error());
    NPU_TRY(define(scope, input.name(), &scope.graph->add_input(input.name(), *std::move(type))));
  }
  return ok();
}

Status Importer::import_nested_inputs(const GraphProto& proto, Scope& scope, const Node& owner) {
  const bool loop = owner.op() == "Loop";
  for (int i = 0; i < proto.input_size(); ++i) {
    const ValueInfoProto& input = proto.input(i);
    NPU_TRY(check_name(input.name()));
    NPU_LET(std::optional<DType> dtype, check_declared(input));
    // Only the dtype is taken from the file: sizes are those of the values that the owner passes.
    TensorType type{DType::kF32, Shape::unranked()};
    if (loop && i < 2) type = {i == 0 ? DType::kI64 : DType::kBool, Shape{}};
    if (!dtype && !(loop && i < 2)) {
      const Value* passed = owner.input(i);
      const TensorType* known = passed != nullptr ? types_.type_of(*passed) : nullptr;
      if (known == nullptr)
        return fail(ErrorId::kOnnxStructure, "an input of a nested graph has no type",
                    shown(input.name()), "a declared type");
      dtype = known->dtype;
    }
    if (dtype) type.dtype = *dtype;
    Value& value = scope.graph->add_input(local_name(scope, input.name()), std::move(type));
    NPU_TRY(define(scope, input.name(), &value));
  }
  return ok();
}

Status Importer::import_outputs(const GraphProto& proto, Scope& scope) {
  if (proto.output_size() == 0 && scope.outer == nullptr)
    return fail(ErrorId::kOnnxStructure, "the graph has no outputs", "none", "at least one");
  for (const ValueInfoProto& output : proto.output()) {
    const std::string place = text("output ", shown(output.name()));
    NPU_LET(const std::optional<DType> dtype, check_declared(output));
    auto value = lookup(scope, output.name());
    if (!value) return at(place, std::move(value).error());
    if (*value == nullptr)
      return at(place, fail(ErrorId::kOnnxStructure, "an output is absent", shown(output.name()),
                            "a value that a node makes"));
    NPU_LET(Value* const result, as_output(**value, output.name(), scope));
    scope.graph->add_output(*result);
    if (!dtype || scope.outer != nullptr) continue;
    NPU_LET(TensorType declared, read_type(output, symbols_));
    declared_outputs_.emplace_back(result, std::move(declared));
  }
  return ok();
}

Result<Value*> Importer::as_output(Value& value, const std::string& name, Scope& scope) {
  const bool own = &value.graph() == scope.graph;
  const bool outermost = scope.outer == nullptr;
  if (own && (!outermost || value.name() == name) && !value.is_graph_output()) return &value;
  // The last value of an inlined function gets the name that the file gives the output.
  if (own && value.producer() != nullptr && !value.is_graph_output()) {
    scope.graph->rename(value, name);
    return &value;
  }
  NPU_LET(Node* const copy,
          scope.graph->add_node({}, "Identity", name, {&value}, {}, {local_name(scope, name)}));
  types_.add(*copy);
  return copy->output();
}

Status Importer::define(Scope& scope, const std::string& name, Value* value) {
  NPU_TRY(check_name(name));
  if (!scope.values.emplace(name, value).second)
    return fail(ErrorId::kOnnxStructure, text("value ", shown(name), " is made twice"), shown(name),
                "one input, initializer or node for each value");
  return ok();
}

Result<Value*> Importer::lookup(const Scope& scope, const std::string& name) const {
  for (const Scope* at_scope = &scope; at_scope != nullptr; at_scope = at_scope->outer) {
    const auto hit = at_scope->values.find(name);
    if (hit != at_scope->values.end()) return hit->second;
  }
  constexpr size_t kMostCompared = 500;  // comparing names takes time that a bad file must not get
  constexpr size_t kLongestCompared = 64;
  std::string close;
  if (scope.values.size() <= kMostCompared && name.size() <= kLongestCompared) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : scope.values)
      if (known.size() <= kLongestCompared) names.push_back(known);
    std::sort(names.begin(), names.end());
    close = nearest(name, names);
  }
  return fail(ErrorId::kOnnxStructure, text("nothing makes the value ", shown(name)), shown(name),
              close.empty() ? "a value of this graph or of one around it"
                            : text("a value that exists; the nearest is ", shown(close)));
}

std::string Importer::local_name(const Scope& scope, std::string_view name) const {
  if (name.empty()) return {};
  const Scope* taken = scope.outer;
  while (taken != nullptr && !taken->names.contains(name)) taken = taken->outer;
  return text(scope.prefix, taken != nullptr ? scope.nested_prefix : std::string(), name);
}

Status Importer::spend(int64_t nodes, int64_t parts) {
  nodes_ += nodes;
  parts_ += parts;
  if (nodes_ > options_.max_nodes)
    return fail(ErrorId::kOnnxStructure, "the model has too many nodes, functions expanded",
                text("more than ", options_.max_nodes), text("at most ", options_.max_nodes),
                "simplify the model, or raise the limit of nodes in the options");
  if (parts_ > kPartsPerNode * options_.max_nodes)
    return fail(ErrorId::kOnnxStructure, "the nodes of the model have too many parts",
                text("more than ", kPartsPerNode * options_.max_nodes, " inputs and attributes"),
                text("at most ", kPartsPerNode, " a node on average"));
  return ok();
}

}  // namespace npugraph::onnx
