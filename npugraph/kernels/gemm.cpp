// SPDX-License-Identifier: Apache-2.0
// Gemm and FusedGemm on float32: constant B is packed once; C, residual and activation are applied
// while a tile of the product is still in the cache.
#include "npugraph/micro/gemm.h"
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

using micro::Gemm;

// How C [broadcasts to m x n] enters the product.
enum class Addend : uint8_t { kNone, kRow, kColumn, kMatrix, kScalar };

Addend addend_of(const Dims& c, int64_t m, int64_t n) {
  const int64_t cols = c.empty() ? 1 : c.back();
  const int64_t rows = c.size() < 2 ? 1 : c[c.size() - 2];
  if (rows == 1 && cols == n) return Addend::kRow;
  if (rows == m && cols == n) return Addend::kMatrix;
  if (rows == m && m != 1) return Addend::kColumn;
  return Addend::kScalar;
}

class GemmPlan final : public KernelPlan {
 public:
  GemmPlan(const Gemm& gemm, Addend addend, bool is_packed, bool has_residual, int64_t threads)
      : gemm_(gemm), addend_(addend), is_packed_(is_packed), has_residual_(has_residual) {
    gemm_floats_ = micro::gemm_scratch_floats(gemm_, threads);
  }
  int64_t scratch_bytes() const noexcept override {
    return (gemm_floats_ + (addend_ == Addend::kScalar ? gemm_.n : 0)) * 4;
  }
  Status run(const KernelRun& run) const noexcept override {
    Gemm gemm = gemm_;
    const std::span<float> scratch = scratch_floats(run);
    gemm.a.data = floats(run.in[0]);
    if (!is_packed_) gemm.b.data = floats(run.in[1]);
    gemm.c = mutable_floats(run.out[0]);
    switch (addend_) {
      case Addend::kNone:
        break;
      case Addend::kRow:
        gemm.col_bias = floats(run.in[2]);
        break;
      case Addend::kColumn:
        gemm.row_bias = floats(run.in[2]);
        break;
      case Addend::kMatrix:
        gemm.residual = floats(run.in[2]);
        break;
      case Addend::kScalar: {
        float* repeated = scratch.data() + gemm_floats_;
        std::fill_n(repeated, gemm_.n, *floats(run.in[2]));
        gemm.col_bias = repeated;
        break;
      }
    }
    if (has_residual_) gemm.residual = floats(run.in[3]);
    micro::run_gemm(gemm, scratch.first(static_cast<size_t>(gemm_floats_)), run.pool);
    return ok();
  }

 private:
  Gemm gemm_;
  Addend addend_;
  bool is_packed_;
  bool has_residual_;
  int64_t gemm_floats_ = 0;
};

bool supports(const KernelNode& node) {
  if (!all_f32(node) || node.attrs.f64("alpha") != 1) return false;
  if (node.has(2) && node.attrs.f64("beta") != 1) return false;
  if (rank_of(node, 1) != 2 || rank_of(node, 0) < 2) return false;
  if (rank_of(node, 0) > 2 && node.attrs.flag("transA")) return false;
  if (!fused_activation(node.attrs)) return false;
  // With a residual beside it, C must be a vector along the last axis.
  return !(node.has(3) && node.has(2) && rank_of(node, 2) != 1);
}

bool fast_supports(const KernelNode& node) {
  return supports(node) && fused_activation(node.attrs)->op == micro::Unary::kGelu;
}

struct Matrix {
  int64_t k, n, row_stride, col_stride;
};

Matrix b_matrix(const KernelNode& node, const Dims& dims) {
  const bool turned = node.attrs.flag("transB");
  const int64_t rows = dim(dims, 0);
  const int64_t cols = dim(dims, 1);
  return turned ? Matrix{cols, rows, 1, cols} : Matrix{rows, cols, cols, 1};
}

Result<std::vector<Tensor>> pack(const KernelNode& node) {
  std::vector<Tensor> packed;
  const Tensor* b = node.constant(1);
  if (b == nullptr) return packed;
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const Matrix matrix = b_matrix(node, b->dims());
  NPU_LET(Tensor panels,
          Tensor::zeros(DType::kF32, {micro::packed_columns_floats(kernels, matrix.k, matrix.n)}));
  micro::pack_columns(kernels, b->as<float>().data(), matrix.row_stride, matrix.col_stride,
                      matrix.k, matrix.n, mutable_floats(panels.mutable_view()));
  packed.push_back(std::move(panels));
  return packed;
}

template <bool Fast = false>
PlanResult prepare(const KernelNode& node, std::span<const Tensor> packed) {
  const Dims a = in_dims(node, 0);
  const Dims y = out_dims(node);
  const Matrix b = b_matrix(node, in_dims(node, 1));
  Gemm gemm;
  gemm.kernels = &micro::micro_kernels(node.isa);
  gemm.n = b.n;
  gemm.k = b.k;
  gemm.m = product_of(y, 0, static_cast<int64_t>(y.size()) - 1);
  const bool turned = node.attrs.flag("transA");
  gemm.a = {.row_stride = turned ? 1 : gemm.k, .col_stride = turned ? gemm.m : 1};
  gemm.b = {.row_stride = b.row_stride, .col_stride = b.col_stride};
  if (!packed.empty()) {
    NPU_TRY(check_packed(packed, {micro::packed_columns_floats(*gemm.kernels, b.k, b.n)}));
    gemm.b = {.data = packed[0].as<float>().data(), .packed = true};
  }
  gemm.c_stride = gemm.n;
  gemm.activation = *fused_activation(node.attrs);
  if (Fast) gemm.activation.op = micro::Unary::kGeluFast;
  const Addend addend = node.has(2) ? addend_of(in_dims(node, 2), gemm.m, gemm.n) : Addend::kNone;
  return std::unique_ptr<KernelPlan>(
      std::make_unique<GemmPlan>(gemm, addend, !packed.empty(), node.has(3), node.threads));
}

}  // namespace

std::vector<Kernel> gemm() {
  return {{.name = "gemm_f32",
           .op = "Gemm",
           .supports = supports,
           .pack = pack,
           .packed_inputs = {1},
           .prepare = prepare<>},
          {.name = "fused_gemm_f32",
           .op = "FusedGemm",
           .domain = "npugraph",
           .in_place = {3},
           .supports = supports,
           .pack = pack,
           .packed_inputs = {1},
           .prepare = prepare<>},
          {.name = "fused_gemm_fast_f32",
           .op = "FusedGemm",
           .domain = "npugraph",
           .accuracy = Accuracy::kFast,
           .in_place = {3},
           .supports = fast_supports,
           .pack = pack,
           .packed_inputs = {1},
           .prepare = prepare<true>}};
}

}  // namespace npugraph::kernels
