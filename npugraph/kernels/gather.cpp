// SPDX-License-Identifier: Apache-2.0
// Gather of any dtype of whole bytes.
#include <cstring>

#include "npugraph/base/text.h"
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

struct Gather {
  int64_t rows, length, piece_bytes, count;
  bool wide;  // 64-bit indices

  int64_t index(const TensorView& indices, int64_t i) const {
    const int64_t value = wide
                              ? indices.as<int64_t>()[static_cast<size_t>(i)]
                              : static_cast<int64_t>(indices.as<int32_t>()[static_cast<size_t>(i)]);
    return value < 0 ? value + length : value;
  }
  void copy(const KernelRun& run, int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = index(run.in[1], i);
      for (int64_t row = 0; row < rows; ++row) {
        std::memcpy(run.out[0].data + (row * count + i) * piece_bytes,
                    run.in[0].data + (row * length + from) * piece_bytes,
                    static_cast<size_t>(piece_bytes));
      }
    }
  }
};

bool supports(const KernelNode& node) {
  const DType indices = node.type(1).dtype;
  return element_bytes(node.type(0).dtype).has_value() && rank_of(node, 0) >= 1 &&
         (indices == DType::kI32 || indices == DType::kI64);
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims x = in_dims(node, 0);
  const auto rank = static_cast<int64_t>(x.size());
  const int64_t axis = front_axis(node.attrs.i64("axis"), rank);
  const Gather gather = {
      .rows = product_of(x, 0, axis),
      .length = dim(x, axis),
      .piece_bytes = product_of(x, axis + 1, rank) * *element_bytes(node.type(0).dtype),
      .count = product_of(in_dims(node, 1)),
      .wide = node.type(1).dtype == DType::kI64};
  return make_plan([gather](const KernelRun& run) noexcept -> Status {
    for (int64_t i = 0; i < gather.count; ++i) {
      const int64_t index = gather.index(run.in[1], i);
      if (index < 0 || index >= gather.length) {
        return fail(ErrorId::kIndexOutOfRange, "an index of Gather", text(run.in[1].load_int(i)),
                    text(-gather.length, "..", gather.length - 1));
      }
    }
    if (gather.rows == 0 || gather.piece_bytes == 0) return ok();
    const auto work = static_cast<double>(gather.rows * (gather.piece_bytes + 10));
    parallel_items(run.pool, gather.count, work,
                   [&](int64_t begin, int64_t end) { gather.copy(run, begin, end); });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> gather() {
  return {{.name = "gather", .op = "Gather", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
