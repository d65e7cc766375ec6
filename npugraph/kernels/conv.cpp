// SPDX-License-Identifier: Apache-2.0
// Convolution on NCHW float32, one or two spatial axes, with bias, residual and activation:
//   pointwise  a matrix product straight over the image;
//   planes     a matrix product over padded planes, see micro::PlaneLayout;
//   depthwise  weighted taps over one padded plane a channel.
#include "npugraph/kernels/window_plan.h"
#include "npugraph/micro/gemm.h"
#include "npugraph/micro/parallel.h"

namespace npugraph::kernels {
namespace {

using micro::Gemm;
using micro::PlaneLayout;

constexpr int64_t kAlignFloats = 16;

// Everything that does not depend on which of the three ways is taken.
struct Conv {
  const micro::MicroKernels* kernels = nullptr;
  micro::Window window = {};
  int64_t n = 0, in_c = 0, out_c = 0, group = 1;
  bool has_bias = false;
  bool has_residual = false;
  bool is_packed = false;  // weights come from pack(), not from the run
  const float* weights = nullptr;
  micro::Activation activation = {};

  int64_t group_in() const { return in_c / group; }
  int64_t group_out() const { return out_c / group; }
  int64_t in_area() const { return window.in_h * window.in_w; }
  int64_t out_area() const { return window.out_h * window.out_w; }
  int64_t depth() const { return group_in() * window.kernel_h * window.kernel_w; }

  const float* bias(const KernelRun& run) const { return has_bias ? floats(run.in[2]) : nullptr; }
  const float* residual(const KernelRun& run) const {
    return has_residual ? floats(run.in[3]) : nullptr;
  }
  const float* weights_of(const KernelRun& run) const {
    return is_packed ? weights : floats(run.in[1]);
  }
};

bool is_depthwise(int64_t group, int64_t group_in) { return group > 1 && group_in == 1; }

bool is_pointwise(const micro::Window& w) {
  return w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
         w.pad_top == 0 && w.pad_left == 0 && w.out_h == w.in_h && w.out_w == w.in_w;
}

// The product for one image; operands' data are set for each.
Gemm product_of(const Conv& conv) {
  Gemm gemm;
  gemm.kernels = conv.kernels;
  gemm.batch = conv.group;
  gemm.m = conv.group_out();
  gemm.k = conv.depth();
  if (conv.is_packed) {
    gemm.a = {.packed = true, .batch = {micro::packed_rows_floats(*conv.kernels, gemm.m, gemm.k)}};
  } else {
    gemm.a = {.row_stride = gemm.k, .batch = {gemm.m * gemm.k}};
  }
  gemm.c_stride = conv.out_area();
  gemm.c_batch = {gemm.m * conv.out_area()};
  gemm.row_bias_batch = {gemm.m};
  gemm.activation = conv.activation;
  return gemm;
}

// Points the product at image `image` of the run's tensors; B is set by the caller.
void place_image(Gemm& gemm, const Conv& conv, const KernelRun& run, int64_t image) {
  const int64_t out = image * conv.out_c * conv.out_area();
  gemm.a.data = conv.weights_of(run);
  gemm.row_bias = conv.bias(run);
  gemm.residual = conv.has_residual ? conv.residual(run) + out : nullptr;
  gemm.c = mutable_floats(run.out[0]) + out;
}

class PointwisePlan final : public KernelPlan {
 public:
  PointwisePlan(const Conv& conv, int64_t threads) : conv_(conv), gemm_(product_of(conv)) {
    gemm_.n = conv.out_area();
    gemm_.b = {.row_stride = gemm_.n, .batch = {conv.group_in() * gemm_.n}};
    if (conv.group == 1) {
      gemm_.batch = conv.n;
      gemm_.a.batch = {};
      gemm_.row_bias_batch = {};
    }
    scratch_floats_ = micro::gemm_scratch_floats(gemm_, threads);
  }
  int64_t scratch_bytes() const noexcept override { return scratch_floats_ * 4; }
  Status run(const KernelRun& run) const noexcept override {
    const int64_t images = conv_.group == 1 ? std::min<int64_t>(conv_.n, 1) : conv_.n;
    for (int64_t image = 0; image < images; ++image) {
      Gemm gemm = gemm_;
      place_image(gemm, conv_, run, image);
      gemm.b.data = floats(run.in[0]) + image * conv_.in_c * conv_.in_area();
      micro::run_gemm(gemm, scratch_floats(run), run.pool);
    }
    return ok();
  }

 private:
  Conv conv_;
  Gemm gemm_;
  int64_t scratch_floats_ = 0;
};

class PlanesPlan final : public KernelPlan {
 public:
  PlanesPlan(const Conv& conv, PlaneLayout layout, int64_t threads)
      : conv_(conv), layout_(std::move(layout)), gemm_(product_of(conv)) {
    for (int64_t c = 0; c < conv.group_in(); ++c) {
      for (int64_t tap = 0; tap < layout_.taps(); ++tap) {
        offsets_.push_back(c * layout_.plane_floats() + layout_.tap_offset(tap));
      }
    }
    gemm_.n = layout_.columns();
    gemm_.row_pitch = layout_.pitch();
    gemm_.row_keep = conv.window.out_w;
    gemm_.b = {.row_offsets = offsets_.data(), .batch = {conv.group_in() * layout_.plane_floats()}};
    planes_floats_ = round_up(layout_.floats(conv.in_c), kAlignFloats);
    scratch_floats_ = planes_floats_ + micro::gemm_scratch_floats(gemm_, threads);
  }
  int64_t scratch_bytes() const noexcept override { return scratch_floats_ * 4; }
  Status run(const KernelRun& run) const noexcept override {
    if (gemm_.n == 0) return ok();
    const std::span<float> scratch = scratch_floats(run);
    float* planes = scratch.data();
    for (int64_t image = 0; image < conv_.n; ++image) {
      const float* x = floats(run.in[0]) + image * conv_.in_c * conv_.in_area();
      const auto work = static_cast<double>(layout_.plane_floats());
      parallel_items(run.pool, conv_.in_c, work, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          layout_.copy(*conv_.kernels, x + c * conv_.in_area(), 0.0f,
                       planes + c * layout_.plane_floats());
        }
      });
      Gemm gemm = gemm_;
      place_image(gemm, conv_, run, image);
      gemm.b.data = planes;
      micro::run_gemm(gemm, scratch.subspan(static_cast<size_t>(planes_floats_)), run.pool);
    }
    return ok();
  }

 private:
  static int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

  Conv conv_;
  PlaneLayout layout_;
  std::vector<int64_t> offsets_;
  Gemm gemm_;
  int64_t planes_floats_ = 0;
  int64_t scratch_floats_ = 0;
};

class DepthwisePlan final : public KernelPlan {
 public:
  DepthwisePlan(const Conv& conv, PlaneLayout layout, int64_t threads)
      : conv_(conv), layout_(std::move(layout)) {
    for (int64_t tap = 0; tap < layout_.taps(); ++tap) offsets_.push_back(layout_.tap_offset(tap));
    // Some rows at a time, so that their sums stay in the first-level cache.
    chunk_rows_ = std::clamp<int64_t>(kChunkFloats / std::max<int64_t>(layout_.pitch(), 1), 1,
                                      std::max<int64_t>(conv.window.out_h, 1));
    plane_floats_ = (layout_.floats(1) + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
    const int64_t strip = (chunk_rows_ * layout_.pitch() / kBlockFloats + 1) * kBlockFloats;
    slot_floats_ = plane_floats_ + strip;
    tasks_ = conv.n * conv.in_c;
    slots_ = std::max<int64_t>(std::min(threads, tasks_), 1);
  }
  int64_t scratch_bytes() const noexcept override { return slots_ * slot_floats_ * 4; }
  Status run(const KernelRun& run) const noexcept override {
    const auto outputs = static_cast<double>(conv_.n * conv_.out_c * conv_.out_area());
    const double work = outputs * static_cast<double>(layout_.taps() + 4);
    const int64_t slots = std::min(slots_, micro::slot_count(run.pool, tasks_, work));
    float* scratch = scratch_floats(run).data();
    micro::for_each_task(run.pool, tasks_, slots, [&](int64_t task, int64_t slot) {
      channel(run, task, scratch + slot * slot_floats_);
    });
    return ok();
  }

 private:
  static constexpr int64_t kChunkFloats = 1024;
  static constexpr int64_t kBlockFloats = 64;  // what micro taps may write past the count

  void channel(const KernelRun& run, int64_t task, float* plane) const {
    layout_.copy(*conv_.kernels, floats(run.in[0]) + task * conv_.in_area(), 0.0f, plane);
    const int64_t image = task / conv_.in_c;
    const int64_t first = task % conv_.in_c * conv_.group_out();
    for (int64_t o = first; o < first + conv_.group_out(); ++o) {
      output_channel(run, image, o, plane, plane + plane_floats_);
    }
  }

  void output_channel(const KernelRun& run, int64_t image, int64_t o, const float* plane,
                      float* strip) const {
    const int64_t out = (image * conv_.out_c + o) * conv_.out_area();
    const int64_t pitch = layout_.pitch();
    const int64_t out_h = conv_.window.out_h;
    const int64_t out_w = conv_.window.out_w;
    const float* residual = conv_.residual(run);
    for (int64_t row = 0; row < out_h; row += chunk_rows_) {
      const int64_t rows = std::min(chunk_rows_, out_h - row);
      conv_.kernels->taps({.src = plane + row * pitch,
                           .offsets = offsets_.data(),
                           .weights = conv_.weights_of(run) + o * layout_.taps(),
                           .taps = layout_.taps(),
                           .dst = strip,
                           .count = (rows - 1) * pitch + out_w});
      const int64_t at = out + row * out_w;
      conv_.kernels->finish_row({.src = strip,
                                 .dst = mutable_floats(run.out[0]) + at,
                                 .count = out_w,
                                 .lines = rows,
                                 .src_stride = pitch,
                                 .bias = conv_.has_bias ? conv_.bias(run)[o] : 0.0f,
                                 .residual = residual == nullptr ? nullptr : residual + at,
                                 .activation = conv_.activation});
    }
  }

  Conv conv_;
  PlaneLayout layout_;
  std::vector<int64_t> offsets_;
  int64_t chunk_rows_ = 1;
  int64_t plane_floats_ = 0;
  int64_t slot_floats_ = 0;
  int64_t tasks_ = 0;
  int64_t slots_ = 1;
};

bool supports(const KernelNode& node) {
  return all_f32(node) && is_planar(node, 0) && fused_activation(node.attrs).has_value();
}

// Constant weights as panels of rows, one matrix a group; depthwise weights as they are.
Result<std::vector<Tensor>> pack(const KernelNode& node) {
  std::vector<Tensor> packed;
  const Tensor* weights = node.constant(1);
  if (weights == nullptr) return packed;
  const Dims& dims = weights->dims();
  const int64_t group = node.attrs.i64("group");
  if (is_depthwise(group, dim(dims, 1))) {
    packed.push_back(*weights);
    return packed;
  }
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const int64_t m = dim(dims, 0) / group;
  const int64_t k = npugraph::kernels::product_of(dims, 1, static_cast<int64_t>(dims.size()));
  const int64_t floats_a_group = micro::packed_rows_floats(kernels, m, k);
  NPU_LET(Tensor panels, Tensor::zeros(DType::kF32, {group, floats_a_group}));
  for (int64_t g = 0; g < group; ++g) {
    micro::pack_rows(kernels, weights->as<float>().data() + g * m * k, k, 1, m, k,
                     mutable_floats(panels.mutable_view()) + g * floats_a_group);
  }
  packed.push_back(std::move(panels));
  return packed;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor> packed) {
  const Dims x = in_dims(node, 0);
  const Dims w = in_dims(node, 1);
  const Dims y = out_dims(node);
  NPU_LET(const micro::Window window, planar_window(node.attrs, x, y, &w));
  const Conv conv = {.kernels = &micro::micro_kernels(node.isa),
                     .window = window,
                     .n = dim(x, 0),
                     .in_c = dim(x, 1),
                     .out_c = dim(y, 1),
                     .group = node.attrs.i64("group"),
                     .has_bias = node.has(2),
                     .has_residual = node.has(3),
                     .is_packed = !packed.empty(),
                     .weights = packed.empty() ? nullptr : packed[0].as<float>().data(),
                     .activation = *fused_activation(node.attrs)};
  if (conv.is_packed) {
    const int64_t m = conv.out_c / conv.group;
    const int64_t k = npugraph::kernels::product_of(w, 1, static_cast<int64_t>(w.size()));
    const int64_t floats = is_depthwise(conv.group, conv.group_in())
                               ? m * k
                               : micro::packed_rows_floats(*conv.kernels, m, k);
    NPU_TRY(check_packed(packed, {conv.group * floats}));
  }
  const auto plan = [](auto made) { return std::unique_ptr<KernelPlan>(std::move(made)); };
  if (is_depthwise(conv.group, conv.group_in())) {
    PlaneLayout layout(window);
    NPU_TRY(float_bytes(layout.floats(node.threads)));
    return plan(std::make_unique<DepthwisePlan>(conv, std::move(layout), node.threads));
  }
  if (is_pointwise(window)) return plan(std::make_unique<PointwisePlan>(conv, node.threads));
  PlaneLayout layout(window);
  NPU_TRY(float_bytes(layout.floats(conv.in_c)));
  return plan(std::make_unique<PlanesPlan>(conv, std::move(layout), node.threads));
}

}  // namespace

std::vector<Kernel> conv() {
  return {{.name = "conv_f32",
           .op = "Conv",
           .supports = supports,
           .pack = pack,
           .packed_inputs = {1},
           .prepare = prepare},
          {.name = "fused_conv_f32",
           .op = "FusedConv",
           .domain = "npugraph",
           .in_place = {3},
           .supports = supports,
           .pack = pack,
           .packed_inputs = {1},
           .prepare = prepare}};
}

}  // namespace npugraph::kernels
