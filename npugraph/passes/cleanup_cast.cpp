// SPDX-License-Identifier: Apache-2.0
// A Cast of a Cast that loses nothing reads what that one reads (remove_identity takes it when the
// dtype is the first again), and a CastLike becomes a Cast. Casts that round, cut or may leave the
// range of a dtype stay as they are.
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

bool is_whole(DType dtype) { return dtype == DType::kBool || kIntTypes.has(dtype); }

/// Bits that hold the magnitude of any number of an integer type.
int64_t magnitude_bits(DType dtype) {
  if (dtype == DType::kBool) return 1;
  return dtype_bits(dtype) - (is_signed(dtype) ? 1 : 0);
}

/// Bits of integers that are exact in a float type, all in its range.
int64_t exact_bits(DType dtype) {
  if (dtype == DType::kF64) return 53;
  if (dtype == DType::kF32) return 24;
  return dtype == DType::kF16 ? 11 : 8;
}

/// Every number of `from` is one of `to`.
bool holds(DType to, DType from) {
  if (!kDataTypes.has(to) || !kDataTypes.has(from) || to == DType::kBool) return to == from;
  if (to == from) return true;
  if (is_whole(from) && is_whole(to)) {
    return magnitude_bits(from) <= magnitude_bits(to) && (!is_signed(from) || is_signed(to));
  }
  if (is_whole(from)) return magnitude_bits(from) <= exact_bits(to);
  const bool is_half = from == DType::kF16 || from == DType::kBF16;
  return to == DType::kF64 || (to == DType::kF32 && is_half);
}

/// Whether from -> middle -> to gives what from -> to gives, for every number.
bool is_detour(DType from, DType middle, DType to) {
  if (!holds(middle, from) || !kDataTypes.has(to)) return false;
  // Floats saturate as they become integers, integers wrap.
  const bool may_saturate = is_whole(from) && !is_whole(middle) && is_whole(to);
  return !may_saturate || to == DType::kBool || holds(to, from);
}

bool shorten(Node& cast) {
  const Node* inner = made_by(cast.input(0), "Cast");
  if (inner == nullptr || &inner->graph() != &cast.graph()) return false;
  Value* const source = inner->input(0);
  if (!source->has_type || !inner->output()->has_type || !cast.output()->has_type) return false;
  if (!is_detour(source->type.dtype, inner->output()->type.dtype, cast.output()->type.dtype)) {
    return false;
  }
  cast.set_input(0, source);
  merge_origins(cast, {inner, &cast});
  return true;
}

Result<Node*> to_cast(Node& like) {
  Attrs attrs;
  attrs.set("to", int64_t{onnx_dtype(like.output()->type.dtype)});
  attrs.set("saturate", like.attrs().i64("saturate"));
  NPU_LET(Node* const cast, insert_node(like, "", "Cast", like.name(), {like.input(0)}, attrs));
  cast->origins = origins_of(like);
  replace_node(like, *cast);
  return cast;
}

}  // namespace

Result<int64_t> cleanup_cast(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : nodes_of(graph, {"Cast", "CastLike"})) {
    if (node->is("CastLike")) {
      if (!node->output()->has_type) continue;
      NPU_LET(node, to_cast(*node));
      ++changes;
    }
    changes += shorten(*node) ? 1 : 0;
  }
  return changes;
}

}  // namespace npugraph::passes
