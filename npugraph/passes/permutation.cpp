// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/permutation.h"

#include "npugraph/passes/rewrite.h"

namespace npugraph {

std::optional<Ints> permutation_of(const Node& transpose) {
  const Attrs& attrs = transpose.attrs();
  if (attrs.has("perm") && !attrs.ints("perm").empty()) return attrs.ints("perm");
  const Value* in = transpose.input(0);
  if (!in->has_type || !in->type.shape.ranked()) return std::nullopt;
  Ints perm;
  for (int64_t axis = in->type.shape.rank() - 1; axis >= 0; --axis) perm.push_back(axis);
  return perm;
}

std::optional<Ints> permutation_of(const Value* value) {
  const Node* transpose = made_by(value, "Transpose");
  return transpose != nullptr ? permutation_of(*transpose) : std::nullopt;
}

Ints compose(const Ints& first, const Ints& second) {
  Ints both;
  for (const int64_t axis : second) both.push_back(first[static_cast<size_t>(axis)]);
  return both;
}

Ints inverse(const Ints& perm) {
  Ints back(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  return back;
}

bool is_identity(const Ints& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool keeps_order(const Shape& shape, const Ints& perm) {
  int64_t last = -1;
  for (const int64_t axis : perm) {
    if (shape[axis] == Dim(1)) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

}  // namespace npugraph
