// SPDX-License-Identifier: Apache-2.0
// Matrix product by numpy's rules. Source: ONNX MatMul-13; agrees with aten::matmul.
#include "npugraph/ops/math/gemm.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(Shape shape, matmul_shape(context.shape(0), context.shape(1)));
  return one_output(context.type(0).dtype, std::move(shape));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& a = context.in[0];
  const TensorView& b = context.in[1];
  const TensorView& y = context.out[0];
  if (is_float(a.dtype)) {
    const auto product = matmul(elements_of<double>(a), a.dims, elements_of<double>(b), b.dims);
    for (size_t i = 0; i < product.size(); ++i) y.store(static_cast<int64_t>(i), product[i]);
    return ok();
  }
  const auto product = matmul(elements_of<uint64_t>(a), a.dims, elements_of<uint64_t>(b), b.dims);
  for (size_t i = 0; i < product.size(); ++i)
    y.store_int(static_cast<int64_t>(i), static_cast<int64_t>(product[i]));
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  return matmul_work(in, out, false);
}

}  // namespace

OpSchema mat_mul() {
  return {
      .name = "MatMul",
      .op_class = OpClass::kMath,
      .doc = "Y[.., i, j] = sum over k of A[.., i, k] * B[.., k, j]",
      .onnx = {"MatMul"},
      .aten = {"aten::matmul", "aten::mm", "aten::bmm"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
