// SPDX-License-Identifier: Apache-2.0
// BatchNormalization of float32 in inference: y = (x - mean) * (scale / sqrt(var + epsilon)) +
// bias, step by step over one plane while it is in the cache.
#include <cmath>

#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) {
  return all_f32(node) && rank_of(node, 0) >= 2 && node.out.size() == 1 &&
         !node.attrs.flag("training_mode");
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims dims = in_dims(node, 0);
  const int64_t channels = dim(dims, 1);
  const int64_t area = product_of(dims, 2, static_cast<int64_t>(dims.size()));
  const int64_t planes = dim(dims, 0) * channels;
  const double epsilon = node.attrs.f64("epsilon");
  const auto* kernels = &micro::micro_kernels(node.isa);
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    const float* x = floats(run.in[0]);
    float* y = mutable_floats(run.out[0]);
    const double work = 4.0 * static_cast<double>(area) + 20;
    parallel_items(run.pool, planes, work, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t c = plane % channels;
        const double variance = static_cast<double>(floats(run.in[4])[c]);
        const double scale = static_cast<double>(floats(run.in[1])[c]);
        const auto factor = static_cast<float>(scale / std::sqrt(variance + epsilon));
        float* to = y + plane * area;
        const auto step = [&](micro::Binary op, const float* from, const float* by) {
          kernels->binary(op, {.a = from, .b = by, .b_repeats = true, .dst = to, .count = area});
        };
        step(micro::Binary::kSub, x + plane * area, floats(run.in[3]) + c);
        step(micro::Binary::kMul, to, &factor);
        step(micro::Binary::kAdd, to, floats(run.in[2]) + c);
      }
    });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> batch_normalization() {
  return {{.name = "batch_normalization_f32",
           .op = "BatchNormalization",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare}};
}

}  // namespace npugraph::kernels
