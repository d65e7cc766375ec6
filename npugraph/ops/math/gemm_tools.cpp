// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/gemm.h"

namespace npugraph::ops {
namespace {

/// The last two axes and those before them.
struct Matrix {
  std::vector<Dim> batch;
  Dim rows, cols;
};

Matrix matrix_of(const Shape& shape, bool is_left, bool transposed) {
  if (shape.rank() == 1)
    return is_left ? Matrix{{}, Dim(1), shape[0]} : Matrix{{}, shape[0], Dim(1)};
  Matrix matrix{shape.dims(), shape[shape.rank() - 2], shape[shape.rank() - 1]};
  matrix.batch.resize(matrix.batch.size() - 2);
  if (transposed) std::swap(matrix.rows, matrix.cols);
  return matrix;
}

}  // namespace

Result<Shape> matmul_shape(const Shape& a, const Shape& b, Transposes transposed) {
  if (a.rank() == 0 || b.rank() == 0)
    return fail(ErrorId::kShapeMismatch, "a matrix product of a scalar",
                text(a.str(), " and ", b.str()), "rank 1 or more");
  const Matrix left = matrix_of(a, true, transposed.a);
  const Matrix right = matrix_of(b, false, transposed.b);
  if (dims_equal(left.cols, right.rows) == false)
    return fail(ErrorId::kShapeMismatch, "the inner sizes of a matrix product differ",
                text(a.str(), transposed.a ? " transposed" : "", " and ", b.str(),
                     transposed.b ? " transposed" : ""),
                text("columns of A (", left.cols, ") equal to rows of B (", right.rows, ")"));
  NPU_LET(const Shape batch, broadcast_shapes(Shape(left.batch), Shape(right.batch)));
  std::vector<Dim> dims = batch.dims();
  if (a.rank() > 1) dims.push_back(left.rows);
  if (b.rank() > 1) dims.push_back(right.cols);
  return Shape(std::move(dims));
}

Status check_addend(const Shape& addend, const Shape& y, std::string_view what) {
  const auto both = broadcast_shapes(addend, y);
  bool fits = both.has_value() && both->rank() == y.rank();
  for (int64_t d = 0; fits && d < y.rank(); ++d) fits = dims_equal((*both)[d], y[d]) != false;
  if (fits) return ok();
  return fail(ErrorId::kShapeMismatch, text(what, " does not broadcast to the output"),
              addend.str(), text("a shape that broadcasts to ", y.str()));
}

Dims swap_dims(Dims dims) {
  if (dims.size() > 1) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return dims;
}

MatmulSizes matmul_sizes(const Dims& a, const Dims& b, Transposes transposed) {
  MatmulSizes sizes;
  const Dims x = transposed.a ? swap_dims(a) : a;
  const Dims y = transposed.b ? swap_dims(b) : b;
  const auto lead = [](const Dims& dims) {
    return dims.size() <= 2 ? Dims{} : Dims(dims.begin(), dims.end() - 2);
  };
  sizes.k = x.back();
  if (x.size() > 1) sizes.m = x[x.size() - 2];
  if (y.size() > 1) sizes.n = y.back();
  const Dims x_lead = lead(x), y_lead = lead(y);
  sizes.batch =
      broadcast_dims(x_lead, y_lead).has_value() ? *broadcast_dims(x_lead, y_lead) : Dims{};
  sizes.a_step = broadcast_strides(x_lead, sizes.batch);
  sizes.b_step = broadcast_strides(y_lead, sizes.batch);
  return sizes;
}

Work matmul_work(std::span<const TensorType> in, std::span<const TensorType> out, bool trans_a) {
  const Shape& a = in[0].shape;
  const int64_t k_axis = trans_a && a.rank() > 1 ? a.rank() - 2 : a.rank() - 1;
  Work work;
  work.flops = 2.0 * static_cast<double>(out[0].shape.elements().value()) *
               static_cast<double>(a[k_axis].value());
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  work.bytes += static_cast<double>(out[0].bytes().value());
  return work;
}

}  // namespace npugraph::ops
