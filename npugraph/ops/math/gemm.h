// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/math/reals.h"
#include "npugraph/ops/op.h"

/// Matrix products, shared by MatMul, Gemm, MatMulInteger and the fused form.
namespace npugraph::ops {

struct Transposes {
  bool a = false, b = false;  // of the last two axes
};
inline Transposes transposes_of(const Attrs& attrs) {
  return {attrs.flag("transA"), attrs.flag("transB")};
}

/// Shape of A' B' by numpy's rules: leading axes broadcast; a vector is a row on the left, a column
/// on the right, and its axis of 1 is dropped. Errors: kShapeMismatch.
Result<Shape> matmul_shape(const Shape& a, const Shape& b, Transposes transposed = {});

/// Errors: kShapeMismatch when `addend` does not broadcast to `y` without enlarging it.
Status check_addend(const Shape& addend, const Shape& y, std::string_view what);

/// A' B' of dense row-major elements; T is double, or uint64_t for integers modulo 2^64. The shapes
/// have passed matmul_shape().
template <class T>
std::vector<T> matmul(const std::vector<T>& a, const Dims& a_dims, const std::vector<T>& b,
                      const Dims& b_dims, Transposes transposed = {});

/// 2 m n k flops for the batch, and each tensor read or written once.
Work matmul_work(std::span<const TensorType> in, std::span<const TensorType> out, bool trans_a);

/// alpha * A' B' + beta * C + Z for floats: inputs 0 and 1, 2 if present, and `z` if present. Calls
/// store(i, value) for each element of the output, whose dims are y.
template <class Store>
void gemm_real(const RunContext& context, int64_t z, Store store) {
  const TensorView& y = context.out[0];
  const double alpha = context.attrs.f64("alpha");
  const double beta = context.attrs.f64("beta");
  const std::vector<double> product =
      matmul(elements_of<double>(context.in[0]), context.in[0].dims,
             elements_of<double>(context.in[1]), context.in[1].dims, transposes_of(context.attrs));
  const auto strides = [&](int64_t k) {
    return context.has(k) ? broadcast_strides(context.in[at_index(k)].dims, y.dims)
                          : Dims(y.dims.size(), 0);
  };
  const bool has_c = context.has(2);
  const bool has_z = context.has(z);
  for (Odometer at(y.dims, {strides(2), strides(z)}); !at.done(); at.next()) {
    double value = alpha * product[at_index(at.count())];
    if (has_c) value += beta * context.in[2].load(at.offset(0));
    if (has_z) value += context.in[at_index(z)].load(at.offset(1));
    store(at.count(), value);
  }
}

// ---- Implementation of the template -----------------------------------------------------------

/// Sizes of a batched product once vectors have become matrices.
struct MatmulSizes {
  Dims batch;           // broadcast leading axes
  Dims a_step, b_step;  // in whole matrices, for the Odometer over batch
  int64_t m = 1, n = 1, k = 1;
};
MatmulSizes matmul_sizes(const Dims& a, const Dims& b, Transposes transposed);

/// `dims` with the last two axes swapped.
Dims swap_dims(Dims dims);

/// [.., rows, cols] with the last two axes swapped: what is stored for a transposed operand.
template <class T>
std::vector<T> swap_last(const std::vector<T>& from, int64_t rows, int64_t cols) {
  std::vector<T> to(from.size());
  const int64_t size = rows * cols;
  const int64_t count = size == 0 ? 0 : static_cast<int64_t>(from.size()) / size;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c)
        to[at_index(i * size + c * rows + r)] = from[at_index(i * size + r * cols + c)];
  return to;
}

template <class T>
std::vector<T> matmul(const std::vector<T>& a, const Dims& a_dims, const std::vector<T>& b,
                      const Dims& b_dims, Transposes transposed) {
  const MatmulSizes sizes = matmul_sizes(a_dims, b_dims, transposed);
  const int64_t m = sizes.m, n = sizes.n, k = sizes.k;
  if (transposed.a && a_dims.size() > 1)
    return matmul(swap_last(a, k, m), swap_dims(a_dims), b, b_dims, {false, transposed.b});
  if (transposed.b && b_dims.size() > 1)
    return matmul(a, a_dims, swap_last(b, n, k), swap_dims(b_dims));
  std::vector<T> y(static_cast<size_t>(product(sizes.batch) * m * n));
  for (Odometer at(sizes.batch, {sizes.a_step, sizes.b_step}); !at.done(); at.next()) {
    for (int64_t i = 0; i < m; ++i) {
      T* row = y.data() + (at.count() * m + i) * n;
      for (int64_t p = 0; p < k; ++p) {
        const T factor = a[at_index((at.offset(0) * m + i) * k + p)];
        const T* other = b.data() + (at.offset(1) * k + p) * n;
        for (int64_t j = 0; j < n; ++j) row[j] += factor * other[j];
      }
    }
  }
  return y;
}

}  // namespace npugraph::ops
