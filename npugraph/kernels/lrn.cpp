// SPDX-License-Identifier: Apache-2.0
// LRN across channels on float32: y = x / (bias + alpha / size * sum of squares nearby) ^ beta, a
// block of pixels at a time.
#include <array>
#include <cmath>

#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

using micro::Binary;
using micro::Unary;

constexpr int64_t kBlock = 512;
using Block = std::array<float, kBlock>;

struct Lrn {
  const micro::MicroKernels* kernels;
  int64_t channels, area, size;
  float alpha, beta, bias;

  void combine(Binary op, const float* a, const float* b, float* y, int64_t count) const {
    kernels->binary(op, {.a = a, .b = b, .dst = y, .count = count});
  }
  void scale(Binary op, float* y, float by, int64_t count) const {
    kernels->binary(op, {.a = y, .b = &by, .b_repeats = true, .dst = y, .count = count});
  }

  /// d ^ beta in place; 3/4, the usual beta, is two square roots.
  void raise(float* d, float* buffer, int64_t count) const {
    if (beta == 0.75f) {
      kernels->unary({Unary::kSqrt}, d, d, count);
      kernels->unary({Unary::kSqrt}, d, buffer, count);
      combine(Binary::kMul, d, buffer, d, count);
      return;
    }
    for (int64_t i = 0; i < count; ++i) d[i] = std::pow(d[i], beta);
  }

  /// One channel's pixels [first, first + count) of one image.
  void block(const float* x, float* y, int64_t channel, int64_t first, int64_t count) const {
    Block sum = {};
    Block square;
    const int64_t before = std::min((size - 1) / 2, channels);
    const int64_t after = std::min(size / 2, channels);
    const int64_t low = std::max<int64_t>(channel - before, 0);
    const int64_t high = std::min(channel + after, channels - 1);
    for (int64_t c = low; c <= high; ++c) {
      kernels->unary({Unary::kSquare}, x + c * area + first, square.data(), count);
      combine(Binary::kAdd, sum.data(), square.data(), sum.data(), count);
    }
    scale(Binary::kMul, sum.data(), alpha / static_cast<float>(size), count);
    scale(Binary::kAdd, sum.data(), bias, count);
    raise(sum.data(), square.data(), count);
    const int64_t at = channel * area + first;
    combine(Binary::kDiv, x + at, sum.data(), y + at, count);
  }
};

bool supports(const KernelNode& node) { return is_f32(node, 0) && rank_of(node, 0) >= 2; }

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims dims = in_dims(node, 0);
  const Lrn lrn = {.kernels = &micro::micro_kernels(node.isa),
                   .channels = dim(dims, 1),
                   .area = product_of(dims, 2, static_cast<int64_t>(dims.size())),
                   .size = node.attrs.i64("size"),
                   .alpha = static_cast<float>(node.attrs.f64("alpha")),
                   .beta = static_cast<float>(node.attrs.f64("beta")),
                   .bias = static_cast<float>(node.attrs.f64("bias"))};
  const int64_t planes = dim(dims, 0) * lrn.channels;
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    const double work = 12.0 * static_cast<double>(lrn.area);
    parallel_items(run.pool, planes, work, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t image = plane / lrn.channels * lrn.channels * lrn.area;
        for (int64_t first = 0; first < lrn.area; first += kBlock) {
          lrn.block(floats(run.in[0]) + image, mutable_floats(run.out[0]) + image,
                    plane % lrn.channels, first, std::min(kBlock, lrn.area - first));
        }
      }
    });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> lrn() {
  return {{.name = "lrn_f32", .op = "LRN", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
