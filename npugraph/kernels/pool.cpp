// SPDX-License-Identifier: Apache-2.0
// MaxPool (without indices) and AveragePool on NCHW float32, one or two spatial axes: each channel
// is copied once with its padding, then every window is a few taps over that copy.
#include <limits>

#include "npugraph/kernels/window_plan.h"
#include "npugraph/micro/parallel.h"
#include "npugraph/ops/nn/pool.h"

namespace npugraph::kernels {
namespace {

using micro::PlaneLayout;

constexpr int64_t kBlockFloats = 64;  // what micro taps may write past the count
constexpr int64_t kAlignFloats = 16;

class PoolPlan final : public KernelPlan {
 public:
  /// divisors: for a mean, how many elements each window has; empty for a maximum.
  PoolPlan(const KernelNode& node, PlaneLayout layout, int64_t planes, std::vector<float> divisors)
      : kernels_(micro::micro_kernels(node.isa)),
        layout_(std::move(layout)),
        planes_(planes),
        divisors_(std::move(divisors)) {
    for (int64_t tap = 0; tap < layout_.taps(); ++tap) offsets_.push_back(layout_.tap_offset(tap));
    if (!divisors_.empty()) ones_.assign(offsets_.size(), 1.0f);
    plane_floats_ = (layout_.floats(1) + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
    const int64_t strip = (layout_.columns() / kBlockFloats + 1) * kBlockFloats;
    slot_floats_ = plane_floats_ + strip;
    slots_ = std::max<int64_t>(std::min(node.threads, planes_), 1);
  }
  int64_t scratch_bytes() const noexcept override { return slots_ * slot_floats_ * 4; }
  Status run(const KernelRun& run) const noexcept override {
    const micro::Window& w = layout_.window();
    if (w.out_h * w.out_w == 0) return ok();
    const double work =
        static_cast<double>(planes_ * layout_.columns()) * static_cast<double>(layout_.taps() + 4);
    const int64_t slots = std::min(slots_, micro::slot_count(run.pool, planes_, work));
    float* scratch = scratch_floats(run).data();
    micro::for_each_task(run.pool, planes_, slots, [&](int64_t plane, int64_t slot) {
      pool_plane(floats(run.in[0]) + plane * w.in_h * w.in_w,
                 mutable_floats(run.out[0]) + plane * w.out_h * w.out_w,
                 scratch + slot * slot_floats_);
    });
    return ok();
  }

 private:
  void pool_plane(const float* x, float* y, float* plane) const {
    const bool is_mean = !divisors_.empty();
    const micro::Window& w = layout_.window();
    float* strip = plane + plane_floats_;
    layout_.copy(kernels_, x, is_mean ? 0.0f : -std::numeric_limits<float>::infinity(), plane);
    kernels_.taps({.src = plane,
                   .offsets = offsets_.data(),
                   .weights = is_mean ? ones_.data() : nullptr,
                   .taps = layout_.taps(),
                   .dst = strip,
                   .count = layout_.columns()});
    for (int64_t row = 0; row < w.out_h; ++row) {
      const float* from = strip + row * layout_.pitch();
      float* to = y + row * w.out_w;
      if (is_mean) {
        kernels_.binary(
            micro::Binary::kDiv,
            {.a = from, .b = divisors_.data() + row * w.out_w, .dst = to, .count = w.out_w});
      } else {
        std::copy_n(from, w.out_w, to);
      }
    }
  }

  const micro::MicroKernels& kernels_;
  PlaneLayout layout_;
  int64_t planes_;
  std::vector<float> divisors_;
  std::vector<float> ones_;
  std::vector<int64_t> offsets_;
  int64_t plane_floats_ = 0;
  int64_t slot_floats_ = 0;
  int64_t slots_ = 1;
};

bool supports(const KernelNode& node) {
  return is_f32(node, 0) && is_planar(node, 0) && node.out.size() == 1;
}

// How many elements each window's mean is over; 1 for a window of padding alone, whose sum is 0.
Result<std::vector<float>> divisors_of(const KernelNode& node, const Dims& x, const Dims& y) {
  NPU_LET(const auto axes, ops::window_of(node.attrs, static_cast<int64_t>(x.size()) - 2));
  const ops::Window3 window = ops::place_window(axes, node.attrs, x, y);
  const bool include_pad = node.attrs.flag("count_include_pad");
  const auto count = [&](int axis, int64_t out) {
    const ops::Taps taps = ops::taps_of(window, axis, out);
    if (include_pad) return taps.padded;
    return taps.last <= taps.first ? 0 : (taps.last - taps.first - 1) / taps.step + 1;
  };
  std::vector<float> divisors;
  for (int64_t h = 0; h < window.out[1]; ++h) {
    for (int64_t w = 0; w < window.out[2]; ++w) {
      divisors.push_back(static_cast<float>(std::max<int64_t>(count(1, h) * count(2, w), 1)));
    }
  }
  return divisors;
}

template <bool Mean>
PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims x = in_dims(node, 0);
  const Dims y = out_dims(node);
  NPU_LET(const micro::Window window, planar_window(node.attrs, x, y, nullptr));
  PlaneLayout layout(window);
  NPU_TRY(float_bytes(layout.floats(node.threads)));
  std::vector<float> divisors;
  if (Mean) {
    NPU_LET(divisors, divisors_of(node, x, y));
    if (divisors.empty()) divisors.push_back(1.0f);
  }
  return std::unique_ptr<KernelPlan>(std::make_unique<PoolPlan>(
      node, std::move(layout), dim(x, 0) * dim(x, 1), std::move(divisors)));
}

}  // namespace

std::vector<Kernel> pool() {
  return {
      {.name = "max_pool_f32", .op = "MaxPool", .supports = supports, .prepare = prepare<false>},
      {.name = "average_pool_f32",
       .op = "AveragePool",
       .supports = supports,
       .prepare = prepare<true>}};
}

}  // namespace npugraph::kernels
