// SPDX-License-Identifier: Apache-2.0
// LayerNormalization of float32 rows; scale and bias as long as a row.
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) {
  if (!all_f32(node) || rank_of(node, 0) < 1) return false;
  if (node.schema.find_attr("stash_type") != nullptr && node.attrs.i64("stash_type") != 1) {
    return false;
  }
  // Scale and bias must cover the normalised axes exactly: repeated ones are left to the reference.
  const Shape& x = node.type(0).shape;
  const int64_t rank = x.rank();
  const int64_t axis = front_axis(node.attrs.i64("axis"), rank);
  for (const int64_t input : {1, 2}) {
    if (!node.has(input)) continue;
    const Shape& shape = node.type(input).shape;
    if (shape.rank() != rank - axis) return false;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (!(shape[d] == x[axis + d])) return false;
    }
  }
  return true;
}

template <bool Fast>
PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims dims = in_dims(node, 0);
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = front_axis(node.attrs.i64("axis"), rank);
  const int64_t rows = product_of(dims, 0, axis);
  const int64_t length = product_of(dims, axis, rank);
  const auto epsilon = static_cast<float>(node.attrs.f64("epsilon"));
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const auto layer_norm = Fast ? kernels.layer_norm_fast : kernels.layer_norm;
  const bool has_bias = node.has(2);
  const size_t outputs = node.out.size();
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    const float* x = floats(run.in[0]);
    float* y = mutable_floats(run.out[0]);
    float* means = outputs > 1 ? mutable_floats(run.out[1]) : nullptr;
    float* inv_stds = outputs > 2 ? mutable_floats(run.out[2]) : nullptr;
    if (length == 0) return ok();
    parallel_items(run.pool, rows, 8.0 * static_cast<double>(length),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t r = begin; r < end; ++r) {
                       layer_norm({.x = x + r * length,
                                   .gamma = floats(run.in[1]),
                                   .beta = has_bias ? floats(run.in[2]) : nullptr,
                                   .y = y + r * length,
                                   .count = length,
                                   .epsilon = epsilon,
                                   .mean = means == nullptr ? nullptr : means + r,
                                   .inv_std = inv_stds == nullptr ? nullptr : inv_stds + r});
                     }
                   });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> layer_normalization() {
  return {{.name = "layer_normalization_f32",
           .op = "LayerNormalization",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare<false>},
          {.name = "layer_normalization_fast_f32",
           .op = "LayerNormalization",
           .accuracy = Accuracy::kFast,
           .in_place = {0},
           .supports = supports,
           .prepare = prepare<true>}};
}

}  // namespace npugraph::kernels
