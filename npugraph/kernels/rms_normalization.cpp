// SPDX-License-Identifier: Apache-2.0
// RMSNormalization of float32 rows; scale as long as a row.
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) {
  if (!all_f32(node) || rank_of(node, 0) < 1 || node.attrs.i64("stash_type") != 1) return false;
  // A scale that is repeated over the normalised axes is left to the reference.
  const Shape& x = node.type(0).shape;
  const Shape& scale = node.type(1).shape;
  const int64_t axis = front_axis(node.attrs.i64("axis"), x.rank());
  if (scale.rank() != x.rank() - axis) return false;
  for (int64_t d = 0; d < scale.rank(); ++d) {
    if (!(scale[d] == x[axis + d])) return false;
  }
  return true;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims dims = in_dims(node, 0);
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = front_axis(node.attrs.i64("axis"), rank);
  const int64_t rows = product_of(dims, 0, axis);
  const int64_t length = product_of(dims, axis, rank);
  const auto epsilon = static_cast<float>(node.attrs.f64("epsilon"));
  const auto normalise = micro::micro_kernels(node.isa).layer_norm;
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    if (length == 0) return ok();
    const double work = 6.0 * static_cast<double>(length);
    parallel_items(run.pool, rows, work, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        normalise({.x = floats(run.in[0]) + r * length,
                   .gamma = floats(run.in[1]),
                   .y = mutable_floats(run.out[0]) + r * length,
                   .count = length,
                   .epsilon = epsilon,
                   .is_centred = false});
      }
    });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> rms_normalization() {
  return {{.name = "rms_normalization_f32",
           .op = "RMSNormalization",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare}};
}

}  // namespace npugraph::kernels
