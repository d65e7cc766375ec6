// SPDX-License-Identifier: Apache-2.0
// MatMul on float32 by numpy's rules: leading axes broadcast; a constant B is packed once.
#include "npugraph/kernels/tools.h"
#include "npugraph/micro/gemm.h"

namespace npugraph::kernels {
namespace {

using micro::Gemm;

// An operand as a stack of matrices; a vector is a row on the left and a column on the right.
struct Stack {
  Dims batch;
  int64_t rows = 1;
  int64_t cols = 1;
};

Stack stack_of(const Dims& dims, bool is_left) {
  if (dims.size() == 1) {
    return is_left ? Stack{{}, 1, dims[0]} : Stack{{}, dims[0], 1};
  }
  return {{dims.begin(), dims.end() - 2}, dims[dims.size() - 2], dims.back()};
}

class MatmulPlan final : public KernelPlan {
 public:
  MatmulPlan(Gemm gemm, bool is_packed, std::vector<int64_t> a_table, std::vector<int64_t> b_table,
             int64_t threads)
      : gemm_(gemm),
        is_packed_(is_packed),
        a_table_(std::move(a_table)),
        b_table_(std::move(b_table)) {
    gemm_.a.batch.table = a_table_.data();
    gemm_.b.batch.table = b_table_.data();
    scratch_floats_ = micro::gemm_scratch_floats(gemm_, threads);
  }
  int64_t scratch_bytes() const noexcept override { return scratch_floats_ * 4; }
  Status run(const KernelRun& run) const noexcept override {
    Gemm gemm = gemm_;
    gemm.a.data = floats(run.in[0]);
    if (!is_packed_) gemm.b.data = floats(run.in[1]);
    gemm.c = mutable_floats(run.out[0]);
    micro::run_gemm(gemm, scratch_floats(run), run.pool);
    return ok();
  }

 private:
  Gemm gemm_;
  bool is_packed_;
  std::vector<int64_t> a_table_;
  std::vector<int64_t> b_table_;
  int64_t scratch_floats_ = 0;
};

bool supports(const KernelNode& node) {
  return all_f32(node) && rank_of(node, 0) >= 1 && rank_of(node, 1) >= 1;
}

Result<std::vector<Tensor>> pack(const KernelNode& node) {
  std::vector<Tensor> packed;
  const Tensor* b = node.constant(1);
  if (b == nullptr) return packed;
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const Stack stack = stack_of(b->dims(), false);
  const int64_t count = product_of(stack.batch);
  const int64_t size = micro::packed_columns_floats(kernels, stack.rows, stack.cols);
  NPU_LET(Tensor panels, Tensor::zeros(DType::kF32, {count, size}));
  for (int64_t i = 0; i < count; ++i) {
    micro::pack_columns(kernels, b->as<float>().data() + i * stack.rows * stack.cols, stack.cols, 1,
                        stack.rows, stack.cols, mutable_floats(panels.mutable_view()) + i * size);
  }
  packed.push_back(std::move(panels));
  return packed;
}

/// Where each matrix of the broadcast batch starts.
std::vector<int64_t> table_of(const Dims& from, const Dims& batch, int64_t matrix_floats) {
  const auto loop = RowLoop<1>(batch, {from});
  std::vector<int64_t> table;
  for (int64_t row = 0; row < loop.rows(); ++row) {
    const int64_t first = loop.offsets(row)[0];
    for (int64_t i = 0; i < loop.inner(); ++i) {
      table.push_back((first + i * loop.inner_step(0)) * matrix_floats);
    }
  }
  return table;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor> packed) {
  Stack a = stack_of(in_dims(node, 0), true);
  const Stack b = stack_of(in_dims(node, 1), false);
  // One matrix on the right: the rows of all matrices on the left are rows of one product.
  if (product_of(b.batch) == 1) {
    a.rows *= product_of(a.batch);
    a.batch = {};
  }
  NPU_LET(const Dims batch, broadcast_dims(a.batch, product_of(b.batch) == 1 ? Dims{} : b.batch));
  Gemm gemm;
  gemm.kernels = &micro::micro_kernels(node.isa);
  gemm.batch = product_of(batch);
  gemm.m = a.rows;
  gemm.k = a.cols;
  gemm.n = b.cols;
  gemm.a = {.row_stride = gemm.k};
  gemm.b = {.row_stride = gemm.n};
  int64_t b_floats = gemm.k * gemm.n;
  if (!packed.empty()) {
    const int64_t floats = micro::packed_columns_floats(*gemm.kernels, gemm.k, gemm.n);
    NPU_TRY(check_packed(packed, {product_of(b.batch) * floats}));
    gemm.b = {.data = packed[0].as<float>().data(), .packed = true};
    b_floats = micro::packed_columns_floats(*gemm.kernels, gemm.k, gemm.n);
  }
  gemm.c_stride = gemm.n;
  gemm.c_batch = {gemm.m * gemm.n};
  const Dims b_batch = product_of(b.batch) == 1 ? Dims{} : b.batch;
  return std::unique_ptr<KernelPlan>(
      std::make_unique<MatmulPlan>(gemm, !packed.empty(), table_of(a.batch, batch, a.rows * gemm.k),
                                   table_of(b_batch, batch, b_floats), node.threads));
}

}  // namespace

std::vector<Kernel> mat_mul() {
  return {{.name = "mat_mul_f32",
           .op = "MatMul",
           .supports = supports,
           .pack = pack,
           .packed_inputs = {1},
           .prepare = prepare}};
}

}  // namespace npugraph::kernels
