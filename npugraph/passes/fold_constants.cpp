// SPDX-License-Identifier: Apache-2.0
// Computes what is known before the model runs: nodes with constant inputs by their reference, and
// integer shape arithmetic whose elements inference found.
#include <algorithm>

#include "npugraph/interp/interp.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

constexpr int64_t kMostLimit_bytes = int64_t{1} << 50;  // keeps sums of sizes far from overflow

/// Whether results of these types may be stored: a small Expand must not become a large file, while
/// weights that are cast to a wider dtype may.
bool within_limit(std::span<const TensorType> types, Views in, int64_t limit_bytes) {
  int64_t in_elements = 0;
  for (const TensorView& view : in) {
    if (!view.absent()) in_elements += view.elements();
  }
  // Elements have half a byte at least. Each count is bounded before it is added.
  const int64_t most = std::max(std::min(limit_bytes, kMostLimit_bytes) * 2, in_elements);
  int64_t elements = 0, bytes = 0;
  for (const TensorType& type : types) {
    const std::optional<Dims> dims = type.shape.known();
    const Result<int64_t> count = dims ? element_count(*dims) : Result<int64_t>(int64_t{-1});
    if (!count || *count < 0 || *count > most) return false;
    elements += *count;
    bytes += (*count * dtype_bits(type.dtype) + 7) / 8;
  }
  return bytes <= limit_bytes || elements <= in_elements;
}

/// The outputs of a node with constant inputs; nothing when they are too large, or computing them
/// fails: then the node stays and fails, if ever it runs, with its own message.
std::optional<std::vector<Tensor>> compute(const Node& node, const PassContext& context) {
  std::vector<const Tensor*> in;
  std::vector<TensorView> views;
  for (const Value* input : node.inputs()) {
    in.push_back(input != nullptr ? input->constant() : nullptr);
    if (input != nullptr && in.back() == nullptr) return std::nullopt;
    views.push_back(in.back() != nullptr ? in.back()->view() : no_tensor());
  }
  const auto types = infer_concrete(node.schema(), node.attrs(), views,
                                    static_cast<int64_t>(node.outputs().size()));
  if (!types || !within_limit(*types, views, context.fold_limit_bytes)) return std::nullopt;
  Result<std::vector<Tensor>> out = interpret_node(node, in);
  return out ? std::optional(*std::move(out)) : std::nullopt;
}

/// The outputs of any node whose integer results inference knows.
std::optional<std::vector<Tensor>> from_contents(const Node& node) {
  std::vector<Tensor> out;
  for (const Value* value : node.outputs()) {
    if (!value->has_type || !is_integer(value->type.dtype)) return std::nullopt;
    const std::optional<Dims> dims = value->type.shape.known();
    const std::optional<std::vector<int64_t>> ints = known_ints(value);
    if (!dims || !ints) return std::nullopt;
    Result<Tensor> tensor = Tensor::zeros(value->type.dtype, *dims);
    if (!tensor || tensor->elements() != static_cast<int64_t>(ints->size())) return std::nullopt;
    const TensorView view = tensor->mutable_view();
    for (size_t i = 0; i < ints->size(); ++i) view.store_int(static_cast<int64_t>(i), (*ints)[i]);
    out.push_back(*std::move(tensor));
  }
  return out;
}

/// Puts constants in place of the node's outputs. A graph output stays made by a node, an Identity.
Status replace(Node& node, std::vector<Tensor> results) {
  Graph& graph = node.graph();
  const std::string node_name = node.name();
  std::vector<std::pair<Value*, std::string>> renames;
  for (size_t i = 0; i < results.size(); ++i) {
    Value* const old = node.outputs()[i];
    Value* by = &graph.add_constant(old->name(), std::move(results[i]));
    if (is_any_output(*old)) {
      NPU_LET(Node* const copy, insert_node(node, "", "Identity", node.name(), {by}, {}));
      copy->origins = origins_of(node);
      by = copy->output();
    }
    renames.emplace_back(by, old->name());
    graph.replace_uses(*old, *by);
  }
  graph.erase(node);
  for (auto& [value, name] : renames) {
    graph.rename(*value, std::move(name));
    if (value->producer() != nullptr) graph.rename(*value->producer(), node_name);
  }
  return ok();
}

bool foldable(const Node& node) {
  const OpSchema& schema = node.schema();
  if (schema.reference == nullptr || !schema.is_deterministic || !node.subgraphs().empty()) {
    return false;
  }
  // Quantised graphs stay as they were quantised: lowering needs the integer weights.
  if (node.is("DequantizeLinear")) return false;
  // The Identity that replace() leaves, and what a front end may leave for a constant output.
  return !(node.is("Identity") && is_any_output(*node.output()));
}

}  // namespace

Result<int64_t> fold_constants(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    if (!foldable(*node)) continue;
    std::optional<std::vector<Tensor>> results = from_contents(*node);
    if (!results) results = compute(*node, context);
    if (!results) continue;
    NPU_TRY(replace(*node, *std::move(results)));
    ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
