// SPDX-License-Identifier: Apache-2.0
// The first t rows of a table of n, added to something of t rows (positions of tokens), are taken
// by Gather of 0 … t - 1 instead of Slice: then every size that follows is t, and no longer
// min(n, t) broadcast with t. More than n rows are an error in both forms.
#include <algorithm>

#include "npugraph/ir/infer.h"
#include "npugraph/passes/inserted.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// A Slice from 0 to `length`, a size that is not known, along one axis of `rows` rows.
struct Prefix {
  int64_t axis = 0;
  Dim length;
  Dim shown;  // min(rows, length)
};

std::optional<Prefix> prefix_of(const Node& slice) {
  const Value& table = *slice.input(0);
  const Value& y = *slice.output();
  const auto starts = known_ints(slice.input(1));
  const auto axes = known_ints(slice.input(3));
  const auto steps = known_ints(slice.input(4));
  const auto& ends = slice.input(2)->content;
  const bool is_one = starts && starts->size() == 1 && (*starts)[0] == 0 && axes &&
                      axes->size() == 1 && ends && ends->size() == 1 &&
                      (slice.input(4) == nullptr || (steps && (*steps)[0] == 1));
  if (!is_one || !table.has_type || !y.has_type || !y.type.shape.ranked()) return std::nullopt;
  Prefix prefix = {.axis = (*axes)[0], .length = (*ends)[0], .shown = Dim(0)};
  if (prefix.axis < 0) prefix.axis += y.type.shape.rank();
  const auto rows = table.type.shape[prefix.axis].known();
  prefix.shown = y.type.shape[prefix.axis];
  const bool is_bounded = rows && *rows > 1 && !prefix.length.is_static() &&
                          prefix.length.is_nonnegative() &&
                          prefix.shown == Dim::min(Dim(*rows), prefix.length);
  return is_bounded ? std::optional<Prefix>(prefix) : std::nullopt;
}

bool adds(const Node& node) {
  return node.is("Add") || node.is("Sub") || node.is("Mul") || node.is("Div");
}

/// Whether the one reader of `value`, or of what is made of it alone, fails unless an axis of size
/// `shown` has in fact `length`.
bool needs_all(const Value* value, const Prefix& prefix) {
  for (int64_t depth = 0; depth < 8; ++depth) {
    const Node* reader = sole_user(*value);
    if (reader == nullptr || &reader->graph() != &value->graph()) return false;
    if (adds(*reader)) {
      const Value* other = other_input(*reader, *value);
      if (other == nullptr || !other->has_type || !other->type.shape.ranked()) return false;
      const Shape& mine = value->type.shape;
      const Shape& theirs = other->type.shape;
      const int64_t both = std::min(mine.rank(), theirs.rank());
      for (int64_t back = 1; back <= both; ++back) {
        if (mine[mine.rank() - back] == prefix.shown &&
            theirs[theirs.rank() - back] == prefix.length) {
          return true;
        }
      }
      return false;
    }
    const bool keeps_axes = reader->is("Gather") || reader->is("Unsqueeze") || reader->is("Cast") ||
                            reader->is("Identity");
    if (!keeps_axes || !reader->output()->has_type) return false;
    value = reader->output();
  }
  return false;
}

Result<bool> rewrite(Node& slice, const Prefix& prefix, Inserted& made) {
  const auto number = [&](int64_t n, Dims dims) {
    return &made.constant(".bound", Tensor::of_ints({n}, std::move(dims)));
  };
  NPU_LET(Value* const end, made.value("Squeeze", ".end", {slice.input(2)}));
  NPU_LET(
      Value* const wide, end->type.dtype == DType::kI64 ? Result<Value*>(end) : [&] {
        Attrs to;
        to.set("to", int64_t{7});
        return made.value("Cast", ".end", {end}, std::move(to));
      }());
  NPU_LET(Value* const rows, made.value("Range", ".rows", {number(0, {}), wide, number(1, {})}));
  Attrs attrs;
  attrs.set("axis", prefix.axis);
  NPU_LET(Node* const gather, made.node("Gather", "", {slice.input(0), rows}, std::move(attrs)));
  if (!(gather->output()->type.shape[prefix.axis] == prefix.length)) return false;
  made.keep();
  replace_node(slice, *gather);
  return true;
}

}  // namespace

Result<int64_t> bound_slice(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* slice : nodes_of(graph, {"Slice"})) {
    const auto prefix = prefix_of(*slice);
    if (!prefix || !needs_all(slice->output(), *prefix)) continue;
    Inserted made(*slice, graph);
    NPU_LET(const bool changed, made.outcome(rewrite(*slice, *prefix, made)));
    changes += changed ? 1 : 0;
  }
  if (changes != 0) NPU_TRY(infer_types(graph));
  return changes;
}

}  // namespace npugraph::passes
