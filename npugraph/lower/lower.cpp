// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/lower.h"

#include <set>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"
#include "npugraph/lower/accuracy.h"
#include "npugraph/lower/emit.h"

namespace npugraph {
namespace {

/// Puts an Identity before output `index` of the graph.
Status add_identity(Graph& graph, int64_t index) {
  Value& value = *graph.outputs()[static_cast<size_t>(index)];
  const std::string name = value.name();
  NPU_LET(Node* const node, graph.add_node("", "Identity", graph.unique_name(name + ".copy"),
                                           {&value}, {}, {graph.unique_name(name + ".copy")}));
  NPU_TRY(infer_node(*node));
  graph.set_output(index, *node->output());
  return ok();
}

/// Outputs of the whole graph are each made by a node of its own, so that kernels write them in
/// place; those of a loop's body are never its inputs or outer values, so that carrying values
/// over cannot overwrite what is still to be carried.
Status separate_outputs(Graph& graph) {
  const Node* owner = graph.owner();
  const bool separate = owner == nullptr || owner->is("Loop");
  std::set<const Value*> seen;
  for (int64_t i = 0; separate && i < static_cast<int64_t>(graph.outputs().size()); ++i) {
    const Value& value = *graph.outputs()[static_cast<size_t>(i)];
    const bool own = value.producer() != nullptr && &value.graph() == &graph;
    if (!own || !seen.insert(&value).second) NPU_TRY(add_identity(graph, i));
  }
  for (Node* node : graph.nodes())
    for (const auto& [name, nested] : node->subgraphs()) NPU_TRY(separate_outputs(*nested));
  return ok();
}

/// Every value has a dtype by now, and everything but late values a shape that inputs decide.
Status check_types(const Graph& graph) {
  for (const Value* value : graph.values())
    if (!value->has_type)
      return fail(ErrorId::kUnknownDim, text("the type of value '", value->name(), "' is unknown"));
  for (const Node* node : graph.nodes())
    for (const auto& [name, nested] : node->subgraphs()) NPU_TRY(check_types(*nested));
  return ok();
}

/// The model's own output names stay the engine's.
void keep_output_names(const std::vector<std::string>& names, TaskPlan& plan) {
  for (size_t i = 0; i < names.size(); ++i)
    plan.slots[static_cast<size_t>(plan.outputs[i])].name = names[i];
}

}  // namespace

Result<EngineParts> lower(Graph& graph, std::span<const Target* const> targets,
                          const LowerOptions& options) {
  NPU_CHECK(!targets.empty() && targets[0]->info().device.name == "cpu", "targets[0] is the cpu");
  std::vector<std::string> names;
  for (const Value* output : graph.outputs()) names.push_back(output->name());
  NPU_TRY(check_types(graph));
  NPU_TRY(separate_outputs(graph));
  NPU_TRY(choose_accuracy(graph, options.allow_fast, options.precise));
  NPU_LET(EngineParts parts, Emitter(graph, targets, options).run());
  keep_output_names(names, parts.plan);
  parts.graph = print(graph);  // long constants as their hash: their data is in the programs
  return parts;
}

}  // namespace npugraph
