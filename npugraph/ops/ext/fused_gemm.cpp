// SPDX-License-Identifier: Apache-2.0
// Matrix product with what follows it: bias, residual, activation. A and B of any rank, as
// MatMul's; a transposed operand has its last two axes swapped. Rounded once, at the end.
#include "npugraph/ops/ext/activation.h"
#include "npugraph/ops/math/gemm.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(fused_activation(context.attrs));
  NPU_LET(Shape shape,
          matmul_shape(context.shape(0), context.shape(1), transposes_of(context.attrs)));
  if (context.has(2)) NPU_TRY(check_addend(context.shape(2), shape, "C of FusedGemm"));
  if (context.has(3)) NPU_TRY(check_addend(context.shape(3), shape, "Z of FusedGemm"));
  return one_output(context.type(0).dtype, std::move(shape));
}

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  NPU_LET(const FusedActivation activation, fused_activation(context.attrs));
  gemm_real(context, 3, [&](int64_t i, double value) { y.store(i, activation(value)); });
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs& attrs) {
  return matmul_work(in, out, attrs.flag("transA"));
}

std::vector<AttrSchema> attributes() {
  std::vector<AttrSchema> attrs = {{"alpha", AttrKind::kFloat, 1.0},
                                   {"beta", AttrKind::kFloat, 1.0},
                                   {"transA", AttrKind::kInt, int64_t{0}, false, 0, 1},
                                   {"transB", AttrKind::kInt, int64_t{0}, false, 0, 1}};
  for (AttrSchema& attr : activation_attrs()) attrs.push_back(std::move(attr));
  return attrs;
}

}  // namespace

OpSchema fused_gemm() {
  return {
      .name = "FusedGemm",
      .domain = "npugraph",
      .op_class = OpClass::kExt,
      .doc = "Y = activation(alpha * A' B' + beta * C + Z), A' and B' transposed if asked for",
      .inputs = {{"A", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOne, "T"},
                 {"C", kFloatTypes, Arity::kOptional, "T"},
                 {"Z", kFloatTypes, Arity::kOptional, "T"}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
