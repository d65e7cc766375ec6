// SPDX-License-Identifier: Apache-2.0
// What compare, check and bench need besides compiling and running: the oracle, the survey of a
// model, and made-up inputs.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "npugraph/api/library.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/read.h"
#include "npugraph/interp/interp.h"
#include "npugraph/ir/infer.h"
#include "npugraph/lower/partition.h"
#include "npugraph/passes/self_check.h"

namespace npugraph {
namespace {

std::vector<PortDescription> ports_of(std::span<Value* const> values) {
  std::vector<PortDescription> ports;
  for (const Value* value : values) ports.push_back({value->name(), value->type});
  return ports;
}

using PlacementTable = std::unordered_map<std::string_view, const Placement*>;

/// What the row of a node of the file tells of the graph's nodes that it became: the first that
/// runs nowhere, else the first that the wanted device refuses, else the last, which gives the
/// node's result. Null when the front end computed it.
const Placement* telling(const SurveyedNode& node, const PlacementTable& placements) {
  const Placement* refused = nullptr;
  const Placement* last = nullptr;
  for (const std::string& name : node.graph_nodes) {
    last = placements.at(name);
    if (last->device.empty()) return last;
    if (refused == nullptr && !last->reason.empty()) refused = last;
  }
  return refused != nullptr ? refused : last;
}

/// Fills in where each node runs.
void add_placements(const std::vector<SurveyedNode>& nodes,
                    const std::vector<Placement>& placements, std::vector<CheckRow>& rows) {
  PlacementTable by_name;
  for (const Placement& placement : placements) by_name.emplace(placement.node, &placement);
  for (size_t i = 0; i < nodes.size(); ++i) {
    CheckRow& row = rows[i];
    const Placement* placement = telling(nodes[i], by_name);
    if (placement == nullptr) {
      row.device = "cpu";
      row.kernel = "compile time";
      continue;
    }
    row.device = placement->device;
    row.kernel = nodes[i].call ? "inlined" : placement->kernel;
    row.reason = placement->reason;
    row.found = placement->found;
    row.allowed = placement->allowed;
  }
}

}  // namespace

Result<std::vector<PortDescription>> model_inputs(const std::filesystem::path& model) {
  NPU_LET(const std::unique_ptr<Graph> graph, read_onnx(model));
  return ports_of(graph->inputs());
}

Result<std::vector<PortDescription>> model_outputs(const std::filesystem::path& model) {
  NPU_LET(const std::unique_ptr<Graph> graph, read_onnx(model));
  return ports_of(graph->outputs());
}

Result<std::vector<NamedTensor>> interpret(const std::filesystem::path& model,
                                           std::span<const Tensor> inputs,
                                           const Progress& progress) {
  NPU_LET(const std::unique_ptr<Graph> graph, read_onnx(model));
  std::vector<NamedTensor> made;
  const auto total = static_cast<double>(std::max<int64_t>(graph->total_node_count(), 1));
  double done = 0;
  InterpretOptions options;
  options.tap = [&](const Node& node, int64_t output, const Tensor& tensor) {
    made.push_back({node.output(output)->name(), node.name(), tensor});
    return !progress || progress("running the reference", std::min(1.0, ++done / total));
  };
  NPU_TRY(npugraph::interpret(*graph, inputs, options));
  return made;
}

Result<std::vector<CheckRow>> check(const Library& library, const std::filesystem::path& model,
                                    const CompileOptions& options) {
  NPU_LET(const std::vector<const Target*> targets, library.state().targets_for(options.device));
  NPU_LET(const SurveyedModel survey, read_onnx_with_survey(model));
  std::vector<CheckRow> rows;
  for (const SurveyedNode& node : survey.nodes) {
    CheckRow row{node.name, node.path, node.domain, node.op, {}, {}, {}, {}, {}, node.signs};
    if (!node.supported) {
      row.reason = node.reason;
      row.found = text(node.domain.empty() ? "ai.onnx" : node.domain, "::", node.op, " of opset ",
                       node.opset);
      row.allowed = "an operator of `npugraph ops`";
    }
    rows.push_back(std::move(row));
  }
  if (survey.graph == nullptr) return rows;  // what cannot be read cannot be placed
  if (!options.shapes.empty()) NPU_TRY(bind_shapes(*survey.graph, options.shapes));
  std::vector<Placement> placements;
  place_nodes(*survey.graph, targets, placements);
  add_placements(survey.nodes, placements, rows);
  return rows;
}

Result<std::vector<Tensor>> random_inputs(std::span<const PortDescription> ports, uint64_t seed,
                                          int64_t open_dim) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < ports.size(); ++i) {
    SelfCheckOptions draw;
    draw.seed = seed + i;
    const std::string place = text("input '", ports[i].name, "'");
    if (!ports[i].type.shape.ranked())
      return at(place, fail(ErrorId::kUnknownDim, "the rank of an input is not known"));
    Dims dims;
    for (const Dim& dim : ports[i].type.shape.dims()) {
      Dim::Bindings bindings;
      for (const std::string& symbol : dim.symbols()) bindings[symbol] = open_dim;
      NPU_LET(const int64_t value, dim.evaluate(bindings));
      dims.push_back(value);
    }
    auto tensor = random_tensor(ports[i].type.dtype, std::move(dims), draw);
    if (!tensor) return at(place, std::move(tensor).error());
    inputs.push_back(*std::move(tensor));
  }
  return inputs;
}

}  // namespace npugraph
