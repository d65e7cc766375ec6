// SPDX-License-Identifier: Apache-2.0
#include "npugraph/api/merge.h"

#include <cctype>
#include <set>
#include <unordered_map>
#include <utility>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"

namespace npugraph {
namespace {

/// A port of a graph and the name that the model gives it.
struct PortName {
  Value* value = nullptr;
  std::string name;
};

/// Inputs, then outputs, each value once.
std::vector<PortName> ports_of(const Graph& graph) {
  std::vector<PortName> ports;
  std::set<const Value*> seen;
  for (const auto& values : {graph.inputs(), graph.outputs()})
    for (Value* value : values)
      if (seen.insert(value).second) ports.push_back({value, value->name()});
  return ports;
}

/// How many graphs use each name.
using Uses = std::map<std::string, int64_t, std::less<>>;

Uses port_uses(const std::vector<NamedGraph>& graphs) {
  Uses uses;
  for (const NamedGraph& row : graphs)
    for (const PortName& port : ports_of(*row.graph)) ++uses[port.name];
  return uses;
}

std::set<std::string> symbols_of(const Graph& graph) {
  std::set<std::string> symbols;
  for (const Value* input : graph.inputs())
    for (const Dim& dim : input->type.shape.dims())
      for (std::string& symbol : dim.symbols()) symbols.insert(std::move(symbol));
  return symbols;
}

Uses symbol_uses(const std::vector<NamedGraph>& graphs) {
  Uses uses;
  for (const NamedGraph& row : graphs)
    for (const std::string& symbol : symbols_of(*row.graph)) ++uses[symbol];
  return uses;
}

/// `name` with what a symbol may hold, and not the prefix of late ones.
std::string symbol_prefix(const std::string& name) {
  std::string prefix = name;
  for (char& c : prefix)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '_';
  if (std::isalpha(static_cast<unsigned char>(prefix.front())) == 0 && prefix.front() != '_')
    prefix.insert(0, 1, '_');
  if (is_late_symbol(prefix + ".")) prefix.insert(0, 1, '_');
  return prefix + ".";
}

void prefix_names(Graph& graph, const std::string& prefix) {
  for (Value* value : graph.values()) graph.rename(*value, prefix + value->name());
  for (Node* node : graph.nodes()) {
    for (std::string& origin : node->origins) origin.insert(0, prefix);
    graph.rename(*node, prefix + node->name());
    for (const auto& [name, nested] : node->subgraphs()) prefix_names(*nested, prefix);
  }
}

/// Gives symbols that other graphs use too names of their own, and infers all types again, so that
/// sizes which only running tells are named after the nodes' new names. `uses` gets the new names.
Status separate_symbols(Graph& graph, const std::string& name, Uses& uses) {
  std::map<std::string, Dim, std::less<>> by;
  for (const std::string& symbol : symbols_of(graph)) {
    if (uses[symbol] < 2) continue;
    std::string own = symbol_prefix(name) + symbol;
    while (uses.contains(own)) own += "_";
    ++uses[own];
    by.emplace(symbol, Dim::symbol(own));
  }
  std::map<std::string, Shape, std::less<>> shapes;
  for (const Value* input : graph.inputs()) {
    if (!input->type.shape.ranked()) continue;
    Shape shape = input->type.shape;
    for (Dim& dim : shape.dims()) dim = dim.substitute(by);
    shapes.emplace(input->name(), std::move(shape));
  }
  return bind_shapes(graph, shapes);
}

/// Appends what `from` holds; returns what stands for each of its values.
std::unordered_map<const Value*, Value*> append(const Graph& from, Graph& to) {
  std::unordered_map<const Value*, Value*> values;
  for (const Value* input : from.inputs()) {
    Value& made = to.add_input(input->name(), input->type);
    made.has_type = input->has_type;
    made.content = input->content;
    values[input] = &made;
  }
  for (const Value* value : from.values())
    if (value->constant() != nullptr)
      values[value] = &to.add_constant(value->name(), *value->constant());
  for (const Node* node : from.nodes()) to.clone_node(*node, values);
  for (const Value* output : from.outputs()) to.add_output(*values.at(output));
  to.facts.insert(from.facts.begin(), from.facts.end());
  return values;
}

Status check_names(const std::vector<NamedGraph>& graphs) {
  std::set<std::string_view> names;
  for (const NamedGraph& row : graphs) {
    if (row.name.empty())
      return fail(ErrorId::kBadOption, "a merged model has no name", "''", "a name for every model",
                  "give it a name");
    if (!names.insert(row.name).second)
      return fail(ErrorId::kBadOption, "two merged models have the same name",
                  text("'", row.name, "'"), "a name of its own for every model",
                  "give one of them another name");
  }
  if (graphs.empty())
    return fail(ErrorId::kBadOption, "there is nothing to merge", "no model", "one model or more",
                "give the models to merge");
  return ok();
}

/// Gives ports their names for good; an inner value that has one of them gets another.
Status name_ports(Graph& graph, const std::vector<PortName>& ports) {
  std::set<std::string_view> taken;
  for (const PortName& port : ports)
    if (!taken.insert(port.name).second)
      return fail(ErrorId::kBadOption, "two ports of merged models would have the same name",
                  text("'", port.name, "'"), "other names for the models",
                  "give the models other names, or rename the port in one of them");
  for (const PortName& port : ports) {
    Value* holder = graph.find_value(port.name);
    if (holder == port.value) continue;
    if (holder != nullptr) graph.rename(*holder, graph.unique_name(port.name + ".inner"));
    graph.rename(*port.value, port.name);
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<Graph>> merge_graphs(std::vector<NamedGraph> graphs) {
  NPU_TRY(check_names(graphs));
  const Uses names = port_uses(graphs);
  Uses symbols = symbol_uses(graphs);
  auto merged = std::make_unique<Graph>("merged");
  std::vector<PortName> ports;
  std::vector<std::string> members;
  for (NamedGraph& row : graphs) {
    Graph& graph = *row.graph;
    const std::string prefix = row.name + "/";
    const std::vector<PortName> own_ports = ports_of(graph);
    prefix_names(graph, prefix);
    NPU_TRY_AT(text("model '", row.name, "'"), separate_symbols(graph, row.name, symbols));
    const auto values = append(graph, *merged);
    for (const PortName& port : own_ports)
      ports.push_back({values.at(port.value),
                       names.find(port.name)->second < 2 ? port.name : prefix + port.name});
    for (const auto& [key, value] : graph.metadata) merged->metadata[prefix + key] = value;
    members.push_back(row.name);
    row.graph.reset();
  }
  merged->metadata["merged"] = join(members);
  NPU_TRY(name_ports(*merged, ports));
  NPU_TRY(verify(*merged));
  return merged;
}

}  // namespace npugraph
