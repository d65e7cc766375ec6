// SPDX-License-Identifier: Apache-2.0
// Concat and Split of any dtype of whole bytes: a tensor seen as rows, each cut into one piece a
// part.
#include <cstring>

#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

struct Pieces {
  int64_t rows = 0;
  int64_t row_bytes = 0;
  std::vector<int64_t> piece_bytes;
};

// parts: the dims of each part; they differ in the axis alone.
Pieces pieces_of(const std::vector<Dims>& parts, int64_t axis, int64_t element) {
  const auto rank = static_cast<int64_t>(parts[0].size());
  Pieces pieces;
  pieces.rows = product_of(parts[0], 0, axis);
  for (const Dims& part : parts) {
    pieces.piece_bytes.push_back(product_of(part, axis, rank) * element);
    pieces.row_bytes += pieces.piece_bytes.back();
  }
  return pieces;
}

// Calls move(part, whole_offset, part_offset, bytes) for every piece of rows [begin, end).
template <class Move>
void each_piece(const Pieces& pieces, int64_t begin, int64_t end, const Move& move) {
  int64_t first = 0;
  for (size_t part = 0; part < pieces.piece_bytes.size(); ++part) {
    const int64_t bytes = pieces.piece_bytes[part];
    if (bytes != 0) {
      for (int64_t row = begin; row < end; ++row) {
        move(part, row * pieces.row_bytes + first, row * bytes, static_cast<size_t>(bytes));
      }
    }
    first += bytes;
  }
}

bool concat_supports(const KernelNode& node) {
  return element_bytes(node.out[0].dtype).has_value() && rank_of(node, 0) >= 1;
}

PlanResult prepare_concat(const KernelNode& node, std::span<const Tensor>) {
  std::vector<Dims> parts;
  for (const KernelInput& input : node.in) parts.push_back(dims_of(*input.type));
  const int64_t axis = front_axis(node.attrs.i64("axis"), static_cast<int64_t>(parts[0].size()));
  Pieces pieces = pieces_of(parts, axis, *element_bytes(node.out[0].dtype));
  return make_plan([pieces = std::move(pieces)](const KernelRun& run) noexcept -> Status {
    std::byte* whole = run.out[0].data;
    const auto work = static_cast<double>(pieces.row_bytes);
    parallel_items(run.pool, pieces.rows, work, [&](int64_t begin, int64_t end) {
      each_piece(pieces, begin, end, [&](size_t part, int64_t at, int64_t from, size_t bytes) {
        std::memcpy(whole + at, run.in[part].data + from, bytes);
      });
    });
    return ok();
  });
}

bool split_supports(const KernelNode& node) {
  return element_bytes(node.type(0).dtype).has_value() && rank_of(node, 0) >= 1;
}

PlanResult prepare_split(const KernelNode& node, std::span<const Tensor>) {
  std::vector<Dims> parts;
  for (const TensorType& type : node.out) parts.push_back(dims_of(type));
  const int64_t axis = front_axis(node.attrs.i64("axis"), static_cast<int64_t>(parts[0].size()));
  Pieces pieces = pieces_of(parts, axis, *element_bytes(node.type(0).dtype));
  if (pieces.rows * pieces.row_bytes !=
      product_of(in_dims(node, 0)) * *element_bytes(node.type(0).dtype)) {
    return fail(ErrorId::kShapeMismatch, "the parts of Split do not fill its axis");
  }
  return make_plan([pieces = std::move(pieces)](const KernelRun& run) noexcept -> Status {
    const std::byte* whole = run.in[0].data;
    const auto work = static_cast<double>(pieces.row_bytes);
    parallel_items(run.pool, pieces.rows, work, [&](int64_t begin, int64_t end) {
      each_piece(pieces, begin, end, [&](size_t part, int64_t at, int64_t to, size_t bytes) {
        std::memcpy(run.out[part].data + to, whole + at, bytes);
      });
    });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> concat() {
  return {
      {.name = "concat", .op = "Concat", .supports = concat_supports, .prepare = prepare_concat},
      {.name = "split", .op = "Split", .supports = split_supports, .prepare = prepare_split}};
}

}  // namespace npugraph::kernels
