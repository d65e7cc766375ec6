// SPDX-License-Identifier: Apache-2.0
// Removes nodes whose output is their input bit for bit.
#include <algorithm>
#include <array>

#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

constexpr int64_t kMaxScanned = 65536;  // elements of a constant that are looked at

/// A constant whose elements all are `number`, the sign of zero included.
bool is_all(const Value* value, double number) {
  const Tensor* data = value != nullptr ? value->constant() : nullptr;
  return data != nullptr && data->elements() <= kMaxScanned && all_equal(*data, number);
}

bool is_zeros(const Value* value) {
  const std::optional<std::vector<int64_t>> ints = known_ints(value);
  return ints && std::all_of(ints->begin(), ints->end(), [](int64_t i) { return i == 0; });
}

bool only_first_output_used(const Node& node) {
  for (size_t i = 1; i < node.outputs().size(); ++i) {
    if (node.outputs()[i]->is_used()) return false;
  }
  return true;
}

bool contains(std::span<const std::string_view> list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

// Their output equals input 0 whenever its type does.
constexpr std::array<std::string_view, 8> kSameWhenSameType = {
    "Identity", "Cast", "CastLike", "Expand", "Tile", "Reshape", "Squeeze", "Unsqueeze"};
// Their output equals their input when they have but one.
constexpr std::array<std::string_view, 5> kSameWhenOne = {"Concat", "Sum", "Max", "Min", "Mean"};

bool is_full_slice(const Node& node) {
  if (node.input(4) == nullptr) return true;
  const std::optional<std::vector<int64_t>> steps = known_ints(node.input(4));
  return steps && std::all_of(steps->begin(), steps->end(), [](int64_t i) { return i == 1; });
}

/// x for x * 1, 1 * x, x / 1, x - 0, and x + 0 where that is exact: -0 + 0 is 0, so for floats
/// only -0 may be added.
Value* neutral_operand(const Node& node) {
  Value* a = node.input(0);
  Value* b = node.input(1);
  if (a == nullptr || b == nullptr) return nullptr;
  if (node.is("Mul")) return is_all(b, 1) ? a : is_all(a, 1) ? b : nullptr;
  if (node.is("Div")) return is_all(b, 1) ? a : nullptr;
  if (node.is("Sub")) return is_all(b, 0.0) ? a : nullptr;
  if (!node.is("Add")) return nullptr;
  const double zero = is_float_type(*a) ? -0.0 : 0.0;
  return is_all(b, zero) ? a : is_all(a, zero) ? b : nullptr;
}

/// The input that the node's output equals; null when there is none, or it is not known.
Value* same_as(const Node& node) {
  if (!node.schema().domain.empty() || node.inputs().empty() || node.input(0) == nullptr) {
    return nullptr;
  }
  Value* x = node.input(0);
  if (node.is("Identity")) return x;  // needs no type
  if (Value* operand = neutral_operand(node)) {
    return same_type(*operand, *node.output()) ? operand : nullptr;
  }
  if (!same_type(*x, *node.output())) return nullptr;
  if (contains(kSameWhenSameType, node.op())) return x;
  if (contains(kSameWhenOne, node.op())) return node.inputs().size() == 1 ? x : nullptr;
  if (node.is("Pad")) return is_zeros(node.input(1)) ? x : nullptr;
  if (node.is("Slice")) return is_full_slice(node) ? x : nullptr;
  if (node.is("Clip")) return node.input(1) == nullptr && node.input(2) == nullptr ? x : nullptr;
  if (node.is("Transpose") && node.attrs().has("perm")) {
    const Ints& perm = node.attrs().ints("perm");
    return std::is_sorted(perm.begin(), perm.end()) ? x : nullptr;
  }
  if (node.is("Dropout")) {
    const bool inference = node.input(2) == nullptr || is_scalar(node.input(2), 0);
    return inference && only_first_output_used(node) ? x : nullptr;
  }
  return nullptr;
}

Result<bool> sum_to_add(Node& node) {
  if (!node.is("Sum") || node.inputs().size() != 2) return false;
  const Result<Node*> made =
      insert_node(node, "", "Add", node.name(), {node.input(0), node.input(1)}, {});
  if (!made) return false;
  Node* const add = *made;
  add->origins = origins_of(node);
  replace_node(node, *add);
  return true;
}

}  // namespace

Result<int64_t> remove_identity(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : graph.nodes()) {
    NPU_LET(const bool added, sum_to_add(*node));
    if (added) {
      ++changes;
      continue;
    }
    Value* const source = same_as(*node);
    if (source == nullptr || !can_redirect(*node->output(), *source)) continue;
    redirect(*node, *source);
    ++changes;
  }
  return changes;
}

}  // namespace npugraph::passes
