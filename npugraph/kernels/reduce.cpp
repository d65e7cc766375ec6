// SPDX-License-Identifier: Apache-2.0
// ReduceSum, ReduceMean and ReduceMax over neighbouring axes, GlobalAveragePool and GlobalMaxPool,
// on float32: a tensor seen as [outer, length, inner] becomes [outer, inner].
#include <limits>

#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

enum class Reduction : uint8_t { kSum, kMean, kMax };

struct Reduce {
  const micro::MicroKernels* kernels;
  Reduction op;
  int64_t outer, length, inner;

  float row(const float* x) const {
    if (op == Reduction::kMax) return kernels->max(x, length);
    const float sum = kernels->sum(x, length);
    return op == Reduction::kSum ? sum : sum / static_cast<float>(length);
  }

  // Columns [begin, end) of one [length, inner] matrix, one row added to the others at a time.
  void columns(const float* x, float* y, int64_t begin, int64_t end) const {
    const auto combine = op == Reduction::kMax ? micro::Binary::kMax : micro::Binary::kAdd;
    std::fill(y + begin, y + end,
              op == Reduction::kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
    for (int64_t r = 0; r < length; ++r) {
      kernels->binary(
          combine,
          {.a = y + begin, .b = x + r * inner + begin, .dst = y + begin, .count = end - begin});
    }
    if (op != Reduction::kMean) return;
    const auto divisor = static_cast<float>(length);
    kernels->binary(
        micro::Binary::kDiv,
        {.a = y + begin, .b = &divisor, .b_repeats = true, .dst = y + begin, .count = end - begin});
  }
};

PlanResult plan_of(const Reduce& reduce) {
  return make_plan([reduce](const KernelRun& run) noexcept -> Status {
    const float* x = floats(run.in[0]);
    float* y = mutable_floats(run.out[0]);
    const auto row_work = static_cast<double>(reduce.length);
    if (reduce.inner == 1) {
      parallel_items(run.pool, reduce.outer, row_work, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) y[r] = reduce.row(x + r * reduce.length);
      });
      return ok();
    }
    // Blocks of columns of each matrix.
    constexpr int64_t kColumns = 256;
    const int64_t blocks = (reduce.inner + kColumns - 1) / kColumns;
    parallel_items(
        run.pool, reduce.outer * blocks, row_work * kColumns, [&](int64_t begin, int64_t end) {
          for (int64_t task = begin; task < end; ++task) {
            const int64_t matrix = task / blocks;
            const int64_t first = task % blocks * kColumns;
            reduce.columns(x + matrix * reduce.length * reduce.inner, y + matrix * reduce.inner,
                           first, std::min(first + kColumns, reduce.inner));
          }
        });
    return ok();
  });
}

/// The reduced axes [first, last) when they are neighbours.
struct AxisRange {
  int64_t first, last;
};
std::optional<AxisRange> axes_of(const KernelNode& node) {
  const int64_t rank = rank_of(node, 0);
  if (rank < 0) return std::nullopt;
  std::vector<int64_t> axes;
  if (node.has(1)) {
    const Tensor* constant = node.constant(1);
    if (constant == nullptr) return std::nullopt;
    for (const int64_t axis : constant->as<int64_t>()) axes.push_back(front_axis(axis, rank));
  }
  if (axes.empty()) {
    if (node.attrs.flag("noop_with_empty_axes")) return std::nullopt;
    return AxisRange{0, rank};
  }
  std::sort(axes.begin(), axes.end());
  const auto count = static_cast<int64_t>(axes.size());
  if (axes.front() < 0 || axes.back() >= rank || axes.back() - axes.front() + 1 != count) {
    return std::nullopt;
  }
  return AxisRange{axes.front(), axes.back() + 1};
}

bool supports(const KernelNode& node) { return is_f32(node, 0) && axes_of(node).has_value(); }

template <Reduction Op>
PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const auto range = axes_of(node);
  if (!range) return fail(ErrorId::kInternal, "a Reduce kernel lost its axes");
  const Dims dims = in_dims(node, 0);
  return plan_of({.kernels = &micro::micro_kernels(node.isa),
                  .op = Op,
                  .outer = product_of(dims, 0, range->first),
                  .length = product_of(dims, range->first, range->last),
                  .inner = product_of(dims, range->last, static_cast<int64_t>(dims.size()))});
}

bool global_supports(const KernelNode& node) { return is_f32(node, 0) && rank_of(node, 0) >= 2; }

template <Reduction Op>
PlanResult prepare_global(const KernelNode& node, std::span<const Tensor>) {
  const Dims dims = in_dims(node, 0);
  return plan_of({.kernels = &micro::micro_kernels(node.isa),
                  .op = Op,
                  .outer = dim(dims, 0) * dim(dims, 1),
                  .length = product_of(dims, 2, static_cast<int64_t>(dims.size())),
                  .inner = 1});
}

}  // namespace

std::vector<Kernel> reduce() {
  return {
      {.name = "reduce_sum_f32",
       .op = "ReduceSum",
       .supports = supports,
       .prepare = prepare<Reduction::kSum>},
      {.name = "reduce_mean_f32",
       .op = "ReduceMean",
       .supports = supports,
       .prepare = prepare<Reduction::kMean>},
      {.name = "reduce_max_f32",
       .op = "ReduceMax",
       .supports = supports,
       .prepare = prepare<Reduction::kMax>},
      {.name = "global_average_pool_f32",
       .op = "GlobalAveragePool",
       .supports = global_supports,
       .prepare = prepare_global<Reduction::kMean>},
      {.name = "global_max_pool_f32",
       .op = "GlobalMaxPool",
       .supports = global_supports,
       .prepare = prepare_global<Reduction::kMax>},
  };
}

}  // namespace npugraph::kernels
