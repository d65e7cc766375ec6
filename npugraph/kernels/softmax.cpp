// SPDX-License-Identifier: Apache-2.0
// Softmax and LogSoftmax over one axis of a float32 tensor.
#include <cmath>

#include "npugraph/kernels/tools.h"
#include "npugraph/micro/parallel.h"

namespace npugraph::kernels {
namespace {

struct Rows {
  const micro::MicroKernels* kernels;
  int64_t outer, length, inner;
  bool is_log;
  decltype(micro::MicroKernels::exp_sum) exp_sum;

  void row(const float* x, float* y) const {
    const float peak = kernels->max(x, length);
    if (is_log) {
      const float sum = exp_sum(x, peak, nullptr, length);
      // Two steps: peak may be far larger than the logarithm.
      const float log_sum = std::log(sum);
      kernels->binary(micro::Binary::kSub,
                      {.a = x, .b = &peak, .b_repeats = true, .dst = y, .count = length});
      kernels->binary(micro::Binary::kSub,
                      {.a = y, .b = &log_sum, .b_repeats = true, .dst = y, .count = length});
      return;
    }
    const float factor = 1.0f / exp_sum(x, peak, y, length);
    kernels->binary(micro::Binary::kMul,
                    {.a = y, .b = &factor, .b_repeats = true, .dst = y, .count = length});
  }

  // A row that is spread over memory is gathered into scratch and back.
  void spread_row(const float* x, float* y, float* buffer) const {
    for (int64_t i = 0; i < length; ++i) buffer[i] = x[i * inner];
    row(buffer, buffer);
    for (int64_t i = 0; i < length; ++i) y[i * inner] = buffer[i];
  }
};

bool supports(const KernelNode& node) { return is_f32(node, 0) && rank_of(node, 0) >= 1; }

template <bool Log, bool Fast = false>
PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims dims = in_dims(node, 0);
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = front_axis(node.attrs.i64("axis"), rank);
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const Rows rows = {.kernels = &kernels,
                     .outer = product_of(dims, 0, axis),
                     .length = dim(dims, axis),
                     .inner = product_of(dims, axis + 1, rank),
                     .is_log = Log,
                     .exp_sum = Fast ? kernels.exp_sum_fast : kernels.exp_sum};
  const int64_t tasks = rows.length == 0 ? 0 : rows.outer * rows.inner;
  const double row_work = 16.0 * static_cast<double>(rows.length);
  if (rows.inner == 1) {
    return make_plan([=](const KernelRun& run) noexcept -> Status {
      const float* x = floats(run.in[0]);
      float* y = mutable_floats(run.out[0]);
      parallel_items(run.pool, tasks, row_work, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) rows.row(x + r * rows.length, y + r * rows.length);
      });
      return ok();
    });
  }
  const int64_t slots = std::max<int64_t>(std::min(node.threads, tasks), 1);
  return make_plan(
      [=](const KernelRun& run) noexcept -> Status {
        const float* x = floats(run.in[0]);
        float* y = mutable_floats(run.out[0]);
        float* scratch = scratch_floats(run).data();
        const double work = row_work * static_cast<double>(tasks);
        const int64_t used = std::min(slots, micro::slot_count(run.pool, tasks, work));
        micro::for_each_task(run.pool, tasks, used, [&](int64_t task, int64_t slot) {
          const int64_t at = task / rows.inner * rows.inner * rows.length + task % rows.inner;
          rows.spread_row(x + at, y + at, scratch + slot * rows.length);
        });
        return ok();
      },
      slots* rows.length * 4);
}

}  // namespace

std::vector<Kernel> softmax() {
  return {{.name = "softmax_f32",
           .op = "Softmax",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare<false>},
          {.name = "softmax_fast_f32",
           .op = "Softmax",
           .accuracy = Accuracy::kFast,
           .in_place = {0},
           .supports = supports,
           .prepare = prepare<false, true>},
          {.name = "log_softmax_f32",
           .op = "LogSoftmax",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare<true>}};
}

}  // namespace npugraph::kernels
