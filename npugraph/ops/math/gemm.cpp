// SPDX-License-Identifier: Apache-2.0
// General matrix product. Integers are exact modulo their width and take whole factors only.
// Source: ONNX Gemm-13; agrees with aten::addmm.
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/math/gemm.h"

namespace npugraph::ops {
namespace {

Status check_whole_factor(const Attrs& attrs, std::string_view name) {
  const double factor = attrs.f64(name);
  if (std::abs(factor) <= 0x1p53 && factor == std::trunc(factor)) return ok();
  return fail(ErrorId::kBadAttribute, text("attribute '", name, "' of Gemm on integers"),
              text(factor), "a whole number");
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  for (int64_t k = 0; k < 2; ++k)
    if (context.shape(k).rank() != 2)
      return fail(ErrorId::kShapeMismatch, k == 0 ? "A of Gemm" : "B of Gemm",
                  context.shape(k).str(), "a matrix");
  if (!is_float(context.type(0).dtype)) {
    NPU_TRY(check_whole_factor(context.attrs, "alpha"));
    NPU_TRY(check_whole_factor(context.attrs, "beta"));
  }
  NPU_LET(Shape y, matmul_shape(context.shape(0), context.shape(1), transposes_of(context.attrs)));
  if (context.has(2)) NPU_TRY(check_addend(context.shape(2), y, "C of Gemm"));
  return one_output(context.type(0).dtype, std::move(y));
}

Status gemm_whole(const RunContext& context) {
  const TensorView& y = context.out[0];
  const auto alpha = static_cast<uint64_t>(static_cast<int64_t>(context.attrs.f64("alpha")));
  const auto beta = static_cast<uint64_t>(static_cast<int64_t>(context.attrs.f64("beta")));
  const auto product = matmul(elements_of<uint64_t>(context.in[0]), context.in[0].dims,
                              elements_of<uint64_t>(context.in[1]), context.in[1].dims,
                              transposes_of(context.attrs));
  const Dims strides = context.has(2) ? broadcast_strides(context.in[2].dims, y.dims) : Dims{0, 0};
  for (Odometer at(y.dims, {strides}); !at.done(); at.next()) {
    uint64_t value = alpha * product[at_index(at.count())];
    if (context.has(2)) value += beta * static_cast<uint64_t>(context.in[2].load_int(at.offset(0)));
    y.store_int(at.count(), static_cast<int64_t>(value));
  }
  return ok();
}

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  if (!is_float(y.dtype)) return gemm_whole(context);
  constexpr int64_t kNoZ = 3;
  gemm_real(context, kNoZ, [&](int64_t i, double value) { y.store(i, value); });
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs& attrs) {
  return matmul_work(in, out, attrs.flag("transA"));
}

}  // namespace

OpSchema gemm() {
  return {
      .name = "Gemm",
      .op_class = OpClass::kMath,
      .doc = "Y = alpha * A' B' + beta * C, A' and B' transposed if asked for",
      .onnx = {"Gemm"},
      .aten = {"aten::addmm", "aten::linear"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"},
                 {"B", kNumberTypes, Arity::kOne, "T"},
                 {"C", kNumberTypes, Arity::kOptional, "T"}},
      .attrs = {{"alpha", AttrKind::kFloat, 1.0},
                {"beta", AttrKind::kFloat, 1.0},
                {"transA", AttrKind::kInt, int64_t{0}, false, 0, 1},
                {"transB", AttrKind::kInt, int64_t{0}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
