// SPDX-License-Identifier: Apache-2.0
// Matrix product of 8-bit integers into int32. Source: ONNX MatMulInteger-10.
#include "npugraph/base/text.h"
#include "npugraph/ops/math/gemm.h"

namespace npugraph::ops {
namespace {

constexpr DTypeSet kByteTypes = types({DType::kU8, DType::kI8});

/// The shape that a zero point broadcasts with: a vector holds one for each row of A or column of
/// B.
template <class Sizes>
Sizes zero_point_dims(Sizes dims, bool is_left) {
  if (dims.size() == 1 && is_left) dims.emplace_back(1);
  return dims;
}

Status check_zero_point(const InferContext& context, int64_t index) {
  if (!context.has(index + 2)) return ok();
  const Shape& zero_point = context.shape(index + 2);
  if (zero_point.elements() == Dim(1)) return ok();
  const Shape& matrix = context.shape(index);
  const Shape spread(zero_point_dims(zero_point.dims(), index == 0));
  const auto both = broadcast_shapes(spread, matrix);
  if (both.has_value() && both->rank() == matrix.rank()) {
    bool fits = true;
    for (int64_t d = 0; fits && d < matrix.rank(); ++d)
      fits = dims_equal((*both)[d], matrix[d]) != false;
    if (fits) return ok();
  }
  return fail(
      ErrorId::kShapeMismatch, "zero point of MatMulInteger", zero_point.str(),
      text("a scalar, or one for each ", index == 0 ? "row" : "column", " of ", matrix.str()));
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_zero_point(context, 0));
  NPU_TRY(check_zero_point(context, 1));
  NPU_LET(Shape shape, matmul_shape(context.shape(0), context.shape(1)));
  return one_output(DType::kI32, std::move(shape));
}

/// Input `index` less its zero point.
std::vector<uint64_t> centered(const RunContext& context, int64_t index) {
  const TensorView& x = context.in[at_index(index)];
  std::vector<uint64_t> out = elements_of<uint64_t>(x);
  if (!context.has(index + 2)) return out;
  const TensorView& zero = context.in[at_index(index + 2)];
  const Dims strides = zero.elements() == 1
                           ? Dims(x.dims.size(), 0)
                           : broadcast_strides(zero_point_dims(zero.dims, index == 0), x.dims);
  for (Odometer at(x.dims, {strides}); !at.done(); at.next())
    out[at_index(at.count())] -= static_cast<uint64_t>(zero.load_int(at.offset(0)));
  return out;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  const auto product =
      matmul(centered(context, 0), context.in[0].dims, centered(context, 1), context.in[1].dims);
  for (size_t i = 0; i < product.size(); ++i)
    y.store_int(static_cast<int64_t>(i), static_cast<int64_t>(product[i]));
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  return matmul_work(in, out, false);
}

}  // namespace

OpSchema mat_mul_integer() {
  return {
      .name = "MatMulInteger",
      .op_class = OpClass::kMath,
      .doc = "Y = (A - a_zero_point) (B - b_zero_point), exact in int32",
      .onnx = {"MatMulInteger"},
      .aten = {"aten::_int_mm"},
      .inputs = {{"A", kByteTypes},
                 {"B", kByteTypes},
                 {"a_zero_point", kByteTypes, Arity::kOptional},
                 {"b_zero_point", kByteTypes, Arity::kOptional}},
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
