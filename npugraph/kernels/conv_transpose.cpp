// SPDX-License-Identifier: Apache-2.0
// ConvTranspose on NCHW float32, one or two spatial axes: one matrix product gives what every input
// pixel adds at each tap (columns), then each output channel gathers its taps.
#include "npugraph/kernels/window_plan.h"
#include "npugraph/micro/gemm.h"
#include "npugraph/ops/nn/window.h"

namespace npugraph::kernels {
namespace {

using micro::Gemm;

constexpr int64_t kAlignFloats = 16;

struct Sizes {
  micro::Window window;  // in: of x, out: of y
  int64_t n, in_c, out_c, group;
  bool has_bias;
  int64_t taps() const { return window.kernel_h * window.kernel_w; }
  int64_t in_area() const { return window.in_h * window.in_w; }
  int64_t out_area() const { return window.out_h * window.out_w; }
};

class ConvTransposePlan final : public KernelPlan {
 public:
  ConvTransposePlan(const Sizes& sizes, const KernelNode& node, std::span<const Tensor> packed)
      : sizes_(sizes), is_packed_(!packed.empty()) {
    gemm_.kernels = &micro::micro_kernels(node.isa);
    gemm_.batch = sizes.group;
    gemm_.m = sizes.out_c / sizes.group * sizes.taps();
    gemm_.k = sizes.in_c / sizes.group;
    gemm_.n = sizes.in_area();
    // W is [k, m]: its columns are the rows of A.
    gemm_.a = {.row_stride = 1, .col_stride = gemm_.m, .batch = {gemm_.m * gemm_.k}};
    if (is_packed_) {
      gemm_.a = {.data = packed[0].as<float>().data(),
                 .packed = true,
                 .batch = {micro::packed_rows_floats(*gemm_.kernels, gemm_.m, gemm_.k)}};
    }
    gemm_.b = {.row_stride = gemm_.n, .batch = {gemm_.k * gemm_.n}};
    gemm_.c_stride = gemm_.n;
    gemm_.c_batch = {gemm_.m * gemm_.n};
    column_floats_ =
        (sizes.out_c * sizes.taps() * gemm_.n + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
    scratch_floats_ = column_floats_ + micro::gemm_scratch_floats(gemm_, node.threads);
  }
  int64_t scratch_bytes() const noexcept override { return scratch_floats_ * 4; }
  Status run(const KernelRun& run) const noexcept override {
    const std::span<float> scratch = scratch_floats(run);
    float* columns = scratch.data();
    for (int64_t image = 0; image < sizes_.n; ++image) {
      Gemm gemm = gemm_;
      if (!is_packed_) gemm.a.data = floats(run.in[1]);
      gemm.b.data = floats(run.in[0]) + image * sizes_.in_c * sizes_.in_area();
      gemm.c = columns;
      micro::run_gemm(gemm, scratch.subspan(static_cast<size_t>(column_floats_)), run.pool);
      float* y = mutable_floats(run.out[0]) + image * sizes_.out_c * sizes_.out_area();
      const double work = 2.0 * static_cast<double>(sizes_.taps() * gemm_.n) +
                          static_cast<double>(sizes_.out_area());
      parallel_items(run.pool, sizes_.out_c, work, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const float bias = sizes_.has_bias ? floats(run.in[2])[c] : 0.0f;
          channel(columns + c * sizes_.taps() * gemm_.n, bias, y + c * sizes_.out_area());
        }
      });
    }
    return ok();
  }

 private:
  void channel(const float* columns, float bias, float* y) const {
    const micro::Window& w = sizes_.window;
    std::fill_n(y, sizes_.out_area(), bias);
    for (int64_t tap = 0; tap < sizes_.taps(); ++tap, columns += sizes_.in_area()) {
      const int64_t shift_y = tap / w.kernel_w * w.dilation_h - w.pad_top;
      const int64_t shift_x = tap % w.kernel_w * w.dilation_w - w.pad_left;
      // Input columns [first, last) whose output column is inside.
      const int64_t first = shift_x >= 0 ? 0 : (-shift_x + w.stride_w - 1) / w.stride_w;
      const int64_t room = w.out_w - shift_x;
      const int64_t last = room <= 0 ? 0 : std::min(w.in_w, (room - 1) / w.stride_w + 1);
      for (int64_t i = 0; i < w.in_h; ++i) {
        const int64_t out_y = i * w.stride_h + shift_y;
        if (out_y < 0 || out_y >= w.out_h) continue;
        const float* from = columns + i * w.in_w;
        float* to = y + out_y * w.out_w + shift_x;
        for (int64_t j = first; j < last; ++j) to[j * w.stride_w] += from[j];
      }
    }
  }

  Sizes sizes_;
  bool is_packed_;
  Gemm gemm_;
  int64_t column_floats_ = 0;
  int64_t scratch_floats_ = 0;
};

bool supports(const KernelNode& node) {
  if (!all_f32(node) || !is_planar(node, 0)) return false;
  // A given output_shape decides the padding in ways of its own: left to the reference.
  return !node.attrs.has("output_shape") || node.attrs.ints("output_shape").empty();
}

Result<std::vector<Tensor>> pack(const KernelNode& node) {
  std::vector<Tensor> packed;
  const Tensor* weights = node.constant(1);
  if (weights == nullptr) return packed;
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const Dims& dims = weights->dims();
  const int64_t group = node.attrs.i64("group");
  const int64_t k = dim(dims, 0) / group;
  const int64_t m = npugraph::kernels::product_of(dims, 1, static_cast<int64_t>(dims.size()));
  const int64_t size = micro::packed_rows_floats(kernels, m, k);
  NPU_LET(Tensor panels, Tensor::zeros(DType::kF32, {group, size}));
  for (int64_t g = 0; g < group; ++g) {
    micro::pack_rows(kernels, weights->as<float>().data() + g * k * m, 1, m, m, k,
                     mutable_floats(panels.mutable_view()) + g * size);
  }
  packed.push_back(std::move(panels));
  return packed;
}

// Padding that auto_pad asks for at the front of an axis.
int64_t auto_pad_begin(ops::AutoPad mode, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                       int64_t dilation, int64_t extra) {
  const int64_t full = (in - 1) * stride + (kernel - 1) * dilation + 1 + extra;
  const int64_t total = std::max<int64_t>(full - out, 0);
  return mode == ops::AutoPad::kSameUpper ? total / 2 : total - total / 2;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor> packed) {
  const Dims x = in_dims(node, 0);
  const Dims w = in_dims(node, 1);
  const Dims y = out_dims(node);
  NPU_LET(micro::Window window, planar_window(node.attrs, x, y, &w));
  const ops::AutoPad mode = ops::auto_pad_of(node.attrs);
  if (mode == ops::AutoPad::kSameUpper || mode == ops::AutoPad::kSameLower) {
    Ints extra(x.size() - 2, 0);
    if (node.attrs.has("output_padding") && !node.attrs.ints("output_padding").empty()) {
      extra = node.attrs.ints("output_padding");
    }
    window.pad_left = auto_pad_begin(mode, window.in_w, window.out_w, window.kernel_w,
                                     window.stride_w, window.dilation_w, extra.back());
    if (x.size() == 4) {
      window.pad_top = auto_pad_begin(mode, window.in_h, window.out_h, window.kernel_h,
                                      window.stride_h, window.dilation_h, extra.front());
    }
  }
  const Sizes sizes = {.window = window,
                       .n = dim(x, 0),
                       .in_c = dim(x, 1),
                       .out_c = dim(y, 1),
                       .group = node.attrs.i64("group"),
                       .has_bias = node.has(2)};
  if (!packed.empty()) {
    const int64_t m = sizes.out_c / sizes.group * sizes.taps();
    const int64_t floats =
        micro::packed_rows_floats(micro::micro_kernels(node.isa), m, sizes.in_c / sizes.group);
    NPU_TRY(check_packed(packed, {sizes.group * floats}));
  }
  return std::unique_ptr<KernelPlan>(std::make_unique<ConvTransposePlan>(sizes, node, packed));
}

}  // namespace

std::vector<Kernel> conv_transpose() {
  return {{.name = "conv_transpose_f32",
           .op = "ConvTranspose",
           .supports = supports,
           .pack = pack,
           .packed_inputs = {1},
           .prepare = prepare}};
}

}  // namespace npugraph::kernels
