// SPDX-License-Identifier: Apache-2.0
// What compare, check and bench need besides compiling and running: the oracle, the survey of a
// model, and made-up inputs.
#include <algorithm>
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

/// The placement of a node of the file: the first that is left of its name, of its name inside a
/// function call or a nested graph ("call/name"), or of its name made unique ("name_1").
const Placement* take_placement(const CheckRow& row, std::vector<const Placement*>& left) {
  const auto fits = [&](const Placement* placement) {
    if (placement == nullptr) return false;
    const std::string_view name = placement->node;
    if (name == row.name || name.ends_with("/" + row.name)) return true;
    return name.starts_with(row.name + "_") &&
           name.find_first_not_of("0123456789", row.name.size() + 1) == std::string_view::npos;
  };
  const auto exact = std::find_if(left.begin(), left.end(), [&](const Placement* placement) {
    return placement != nullptr && placement->node == row.name;
  });
  const auto hit = exact != left.end() ? exact : std::find_if(left.begin(), left.end(), fits);
  return hit == left.end() ? nullptr : std::exchange(*hit, nullptr);
}

/// Fills in where each node runs. Those that the front end computed or made part of another node
/// have no placement.
void add_placements(const std::vector<Placement>& placements, std::vector<CheckRow>& rows) {
  std::vector<const Placement*> left;
  for (const Placement& placement : placements) left.push_back(&placement);
  for (CheckRow& row : rows) {
    const Placement* placement = take_placement(row, left);
    if (placement == nullptr) {
      row.device = "cpu";
      row.kernel = "compile time";
      continue;
    }
    row.device = placement->device;
    row.kernel = placement->kernel;
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
                                    const CompilerOptions& options) {
  NPU_LET(const std::vector<const Target*> targets, library.state().targets_for(options.device));
  NPU_LET(const std::vector<SurveyedNode> survey, survey_onnx(model));
  std::vector<CheckRow> rows;
  bool all_known = true;
  for (const SurveyedNode& node : survey) {
    CheckRow row{node.name, node.path, node.domain, node.op, {}, {}, {}, {}, {}, node.signs};
    if (!node.supported) {
      all_known = false;
      row.reason = node.reason;
      row.found = text(node.domain.empty() ? "ai.onnx" : node.domain, "::", node.op, " of opset ",
                       node.opset);
      row.allowed = "an operator of `npugraph ops`";
    }
    rows.push_back(std::move(row));
  }
  if (!all_known) return rows;  // what cannot be read cannot be placed
  NPU_LET(const std::unique_ptr<Graph> graph, read_onnx(model));
  if (!options.shapes.empty()) NPU_TRY(bind_shapes(*graph, options.shapes));
  std::vector<Placement> placements;
  place_nodes(*graph, targets, placements);
  add_placements(placements, rows);
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
