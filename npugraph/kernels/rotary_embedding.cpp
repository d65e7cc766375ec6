// SPDX-License-Identifier: Apache-2.0
// RotaryEmbedding on float32: each token's heads share one row of cosines and sines.
#include "npugraph/ops/nn/rotary_embedding.h"

#include <cstring>

#include "npugraph/kernels/tools.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::kernels {
namespace {

using ops::RotarySizes;

// One head of one token; x and y may be the same.
void turn(const RotarySizes& sizes, const float* x, const float* cos, const float* sin, float* y) {
  const int64_t half = sizes.half;
  if (sizes.interleaved) {
    for (int64_t i = 0; i < half; ++i) {
      const float u = x[2 * i];
      const float v = x[2 * i + 1];
      y[2 * i] = cos[i] * u - sin[i] * v;
      y[2 * i + 1] = sin[i] * u + cos[i] * v;
    }
  } else {
    for (int64_t i = 0; i < half; ++i) {
      const float u = x[i];
      const float v = x[i + half];
      y[i] = cos[i] * u - sin[i] * v;
      y[i + half] = sin[i] * u + cos[i] * v;
    }
  }
  const int64_t rest = sizes.d - 2 * half;
  if (rest > 0 && x != y) {
    std::memcpy(y + 2 * half, x + 2 * half, static_cast<size_t>(rest) * sizeof(float));
  }
}

bool supports(const KernelNode& node) {
  return is_f32(node, ops::kRotaryX) && is_f32(node, ops::kRotaryCos) &&
         is_f32(node, ops::kRotarySin);
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const RotarySizes sizes = ops::rotary_sizes(in_dims(node, ops::kRotaryX), node.attrs);
  const bool by_position = node.has(ops::kRotaryPositions);
  const int64_t cos_rows = dim(in_dims(node, ops::kRotaryCos), 0);
  const int64_t sin_rows = dim(in_dims(node, ops::kRotarySin), 0);
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    const float* x = floats(run.in[ops::kRotaryX]);
    const float* cos = floats(run.in[ops::kRotaryCos]);
    const float* sin = floats(run.in[ops::kRotarySin]);
    float* y = mutable_floats(run.out[0]);
    const int64_t* positions = nullptr;
    if (by_position) {
      positions = run.in[ops::kRotaryPositions].as<int64_t>().data();
      for (int64_t i = 0; i < sizes.batch * sizes.length; ++i) {
        NPU_TRY(wrap_index(positions[i], cos_rows));
        NPU_TRY(wrap_index(positions[i], sin_rows));
      }
    }
    const auto row_of = [&](int64_t token, int64_t rows) {
      if (positions == nullptr) return token * sizes.half;
      const int64_t position = positions[token];
      return (position < 0 ? position + rows : position) * sizes.half;
    };
    const int64_t tasks = sizes.batch * sizes.heads * sizes.length;
    parallel_items(
        run.pool, tasks, 2.0 * static_cast<double>(sizes.d), [&](int64_t begin, int64_t end) {
          for (int64_t task = begin; task < end; ++task) {
            // Tasks follow memory: [b, h, s] when the heads are split, else [b, s, h].
            const int64_t outer = task / (sizes.heads * sizes.length);
            const int64_t inner = task % (sizes.heads * sizes.length);
            const int64_t s = sizes.is_split ? inner % sizes.length : inner / sizes.heads;
            const int64_t token = outer * sizes.length + s;
            turn(sizes, x + task * sizes.d, cos + row_of(token, cos_rows),
                 sin + row_of(token, sin_rows), y + task * sizes.d);
          }
        });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> rotary_embedding() {
  return {{.name = "rotary_embedding_f32",
           .op = "RotaryEmbedding",
           .in_place = {0},
           .supports = supports,
           .prepare = prepare}};
}

}  // namespace npugraph::kernels
