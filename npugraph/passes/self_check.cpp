// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/self_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/interp/interp.h"

namespace npugraph {
namespace {

/// SplitMix64: the next number of a stream. Source: Steele, Lea, Flood 2014, figure 16.
uint64_t next_random(uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// default_dim where the facts allow it, else the legal number next to it.
int64_t pick_dim(const Graph& graph, const std::string& symbol, int64_t default_dim) {
  const auto fact = graph.facts.find(symbol);
  if (fact == graph.facts.end()) return default_dim;
  const SymbolFact& known = fact->second;
  const int64_t wanted = std::clamp(default_dim, known.min, known.max);
  const int64_t step = std::max<int64_t>(known.multiple_of, 1);
  const int64_t above = round_up(wanted, step);
  return above <= known.max ? above : wanted / step * step;
}

/// The inputs of the graph that are added to what a Softmax reads, which masks are.
std::unordered_set<const Value*> masks_of(const Graph& graph) {
  std::unordered_set<const Value*> out;
  std::vector<const Value*> open;
  std::unordered_set<const Value*> seen;
  for (const Node* node : graph.nodes()) {
    const Node* last = node->is("Softmax") ? node->input(0)->producer() : nullptr;
    if (last != nullptr) open.push_back(node->input(0));
  }
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    if (!seen.insert(value).second) continue;
    const Node* node = value->producer();
    if (value->is_graph_input()) out.insert(value);
    const bool passes = node != nullptr && (node->is("Add") || node->is("Where") ||
                                            node->is("Unsqueeze") || node->is("Expand"));
    if (!passes) continue;
    for (const Value* input : node->inputs()) open.push_back(input);
  }
  return out;
}

/// The first number and about half of the others become the lowest, which hides a key.
void hide_some(const TensorView& mask, uint64_t state) {
  for (int64_t i = 0; i < mask.elements(); ++i) {
    const bool hides = (next_random(state) >> 63) != 0;
    if (i == 0 || hides) mask.store(i, std::numeric_limits<float>::lowest());
  }
}

/// How far two results may lie apart, as a part of the largest number of the first.
double tolerance(DType dtype) {
  if (dtype == DType::kF16) return 4 * std::ldexp(1, -11);  // four units of an 11-bit significand
  if (dtype == DType::kBF16) return 4 * std::ldexp(1, -8);
  return 1e-5;
}

struct Difference {
  double largest = 0;  // of the absolute differences, but infinite where only one is NaN
  int64_t index = 0;   // where
  double scale = 0;    // largest finite number of the first tensor
};

Difference difference(const TensorView& a, const TensorView& b) {
  Difference out;
  for (int64_t i = 0; i < a.elements(); ++i) {
    double gap = 0;
    if (is_float(a.dtype)) {
      const double x = a.load(i), y = b.load(i);
      if (std::isfinite(x)) out.scale = std::max(out.scale, std::abs(x));
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      gap = std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : HUGE_VAL;
    } else {
      if (a.load_int(i) == b.load_int(i)) continue;
      gap = HUGE_VAL;
    }
    if (gap > out.largest) out.largest = gap, out.index = i;
  }
  return out;
}

Status compare_output(const std::string& name, const Tensor& before, const Tensor& after,
                      bool exact) {
  const auto changed = [&](std::string what, std::string found, std::string expected) {
    return fail(ErrorId::kPassChangedNumbers, text("output '", name, "' ", what), std::move(found),
                std::move(expected));
  };
  if (before.dtype() != after.dtype() || before.dims() != after.dims()) {
    return changed("has another type after the pass", after.type().str(), before.type().str());
  }
  const Difference gap = difference(before.view(), after.view());
  const double allowed = exact ? 0 : tolerance(before.dtype()) * gap.scale;
  if (gap.largest <= allowed) return ok();
  return changed(
      text("differs after the pass by ", gap.largest, ", ", gap.largest / gap.scale,
           " of its largest number"),
      text(after.view().load(gap.index), " at element ", gap.index),
      text(before.view().load(gap.index), exact ? " exactly" : text(" within ", allowed)));
}

}  // namespace

Result<Tensor> random_tensor(DType dtype, Dims dims, const SelfCheckOptions& options) {
  NPU_LET(Tensor tensor, Tensor::zeros(dtype, std::move(dims)));
  const TensorView view = tensor.mutable_view();
  uint64_t state = options.seed;
  for (int64_t i = 0; i < view.elements(); ++i) {
    const uint64_t bits = next_random(state);
    if (is_float(dtype)) {
      const double part = static_cast<double>(bits >> 11) * std::ldexp(1, -53);
      view.store(i, options.low + (options.high - options.low) * part);
    } else {
      view.store_int(i, static_cast<int64_t>(bits >> 63));
    }
  }
  return tensor;
}

Result<SelfCheck> SelfCheck::start(const Graph& graph, const SelfCheckOptions& options) {
  Dim::Bindings bindings = options.bindings;
  SelfCheck check;
  SelfCheckOptions draw = options;
  uint64_t seeds = options.seed;
  const std::unordered_set<const Value*> masks = masks_of(graph);
  bool has_mask = false;
  for (const Value* input : graph.inputs()) {
    const std::string place = text("self-check: input '", input->name(), "'");
    if (!input->type.shape.ranked()) {
      return at(place, fail(ErrorId::kUnknownDim, "the rank is unknown"));
    }
    Dims dims;
    for (const Dim& dim : input->type.shape.dims()) {
      for (const std::string& symbol : dim.symbols()) {
        bindings.emplace(symbol, pick_dim(graph, symbol, options.default_dim));
      }
      auto number = dim.evaluate(bindings);
      if (!number) return at(place, std::move(number).error());
      dims.push_back(*number);
    }
    draw.seed = next_random(seeds);
    NPU_LET(Tensor data, random_tensor(input->type.dtype, std::move(dims), draw));
    // Only one: two of them together could hide all keys, for which there is no right number.
    if (!has_mask && data.dtype() == DType::kF32 && data.dims().size() >= 2 &&
        masks.contains(input)) {
      hide_some(data.mutable_view(), next_random(seeds));
      has_mask = true;
    }
    check.inputs_.push_back(std::move(data));
  }
  auto outputs = interpret(graph, check.inputs_);
  if (!outputs) return at("self-check", std::move(outputs).error());
  check.outputs_ = *std::move(outputs);
  return check;
}

Status SelfCheck::compare(const Graph& graph, bool exact) {
  auto found = interpret(graph, inputs_);
  if (!found) return at("self-check", std::move(found).error());
  std::vector<Tensor> outputs = *std::move(found);
  if (outputs.size() != outputs_.size()) {
    return fail(ErrorId::kPassChangedNumbers, "the number of outputs changed", text(outputs.size()),
                text(outputs_.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    NPU_TRY(compare_output(graph.outputs()[i]->name(), outputs_[i], outputs[i], exact));
  }
  outputs_ = std::move(outputs);
  return ok();
}

}  // namespace npugraph
