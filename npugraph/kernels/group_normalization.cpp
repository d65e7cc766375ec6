// SPDX-License-Identifier: Apache-2.0
// GroupNormalization and InstanceNormalization of float32. A group of channels of one sample is a
// row whose scale and bias repeat over the elements of a channel; InstanceNormalization is the case
// of one channel a group.
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) { return all_f32(node) && rank_of(node, 0) >= 2; }

PlanResult plan_of(const KernelNode& node, int64_t groups) {
  const Dims dims = in_dims(node, 0);
  const int64_t channels = dim(dims, 1) / groups;  // of one group
  const int64_t plane = product_of(dims, 2, static_cast<int64_t>(dims.size()));
  const int64_t length = channels * plane;
  const int64_t rows = dim(dims, 0) * groups;
  const auto epsilon = static_cast<float>(node.attrs.f64("epsilon"));
  const auto normalise = micro::micro_kernels(node.isa).layer_norm;
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    if (length == 0) return ok();
    const double work = 8.0 * static_cast<double>(length);
    parallel_items(run.pool, rows, work, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t first_channel = r % groups * channels;
        normalise({.x = floats(run.in[0]) + r * length,
                   .gamma = floats(run.in[1]) + first_channel,
                   .beta = floats(run.in[2]) + first_channel,
                   .y = mutable_floats(run.out[0]) + r * length,
                   .count = length,
                   .epsilon = epsilon,
                   .repeat = plane});
      }
    });
    return ok();
  });
}

PlanResult prepare_group(const KernelNode& node, std::span<const Tensor>) {
  return plan_of(node, node.attrs.i64("num_groups"));
}

PlanResult prepare_instance(const KernelNode& node, std::span<const Tensor>) {
  return plan_of(node, std::max<int64_t>(dim(in_dims(node, 0), 1), 1));
}

}  // namespace

std::vector<Kernel> group_normalization() {
  return {{.name = "group_normalization_f32",
           .op = "GroupNormalization",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare_group},
          {.name = "instance_normalization_f32",
           .op = "InstanceNormalization",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare_instance}};
}

}  // namespace npugraph::kernels
