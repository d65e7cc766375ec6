// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// What the element-wise operators share: loops that broadcast, and contents of small integer
/// tensors. Floats are computed in double and rounded once; integers in 64 bits, and the result
/// wraps to the dtype's width.
namespace npugraph::ops {

// ---- One input --------------------------------------------------------------------------------

/// y[i] = f(x[i]) in double.
template <class F>
Status map_real(const RunContext& context, F f) {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const int64_t count = y.elements();
  for (int64_t i = 0; i < count; ++i) y.store(i, f(x.load(i)));
  return ok();
}

/// y[i] = f(x[i]) in 64-bit integers; a uint64 is seen as the int64 of the same bits.
template <class F>
Status map_whole(const RunContext& context, F f) {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const int64_t count = y.elements();
  for (int64_t i = 0; i < count; ++i) y.store_int(i, static_cast<int64_t>(f(x.load_int(i))));
  return ok();
}

/// The reference of an operator that is a function of one float: reference = unary<apply>.
template <double (*F)(double)>
Status unary(const RunContext& context) noexcept {
  return map_real(context, F);
}

/// The output has the type of input 0.
Result<std::vector<InferOutput>> infer_same(const InferContext& context);

// ---- Several inputs ---------------------------------------------------------------------------

/// The expression for one element of the output from those of the inputs; nothing when it is not
/// an expression.
using DimFunction = std::optional<Dim> (*)(std::span<const Dim>);

/// Contents of an element-wise integer output from those of all inputs, where all are known and
/// each result is sure to fit `dtype`: 64-bit expressions do not wrap as narrow integers do.
std::optional<std::vector<Dim>> map_contents(const InferContext& context, DType dtype,
                                             const Shape& shape, DimFunction f);

/// Whether an element of a content surely fits `dtype`. Expressions are trusted to fit signed
/// integers of 32 bits and more, as the dims they are made of do; the ends of int64 stand for
/// results that saturated, and do not.
bool dim_fits(const Dim& value, DType dtype);

/// The broadcast shape of all inputs. Errors: kShapeMismatch.
Result<Shape> broadcast_inputs(const InferContext& context);

/// One output of the broadcast shape.
Result<std::vector<InferOutput>> infer_broadcast(const InferContext& context, DType dtype,
                                                 DimFunction f);

/// An operator of two inputs is a struct with
///   static double real(double, double)                floats (left out: none)
///   template <class T> static T whole(T, T)           integers and bool, T = int64_t or uint64_t
///   static std::optional<Dim> content(const Dim&, const Dim&)
/// and, when it answers yes or no, kPredicate = true.
template <class Op>
constexpr bool kIsPredicate = requires { Op::kPredicate; };

template <class Op>
std::optional<Dim> binary_content(std::span<const Dim> in) {
  return Op::content(in[0], in[1]);
}

template <class Op>
Result<std::vector<InferOutput>> infer_binary(const InferContext& context) {
  const DType dtype = kIsPredicate<Op> ? DType::kBool : context.type(0).dtype;
  return infer_broadcast(context, dtype, binary_content<Op>);
}

template <class Op>
Status binary(const RunContext& context) noexcept {
  const TensorView& a = context.in[0];
  const TensorView& b = context.in[1];
  const TensorView& y = context.out[0];
  Odometer at(y.dims, {broadcast_strides(a.dims, y.dims), broadcast_strides(b.dims, y.dims)});
  if constexpr (requires { Op::real(0.0, 0.0); }) {
    if (is_float(a.dtype)) {
      for (; !at.done(); at.next())
        y.store(at.count(),
                static_cast<double>(Op::real(a.load(at.offset(0)), b.load(at.offset(1)))));
      return ok();
    }
  }
  if (a.dtype == DType::kU64) {
    for (; !at.done(); at.next()) {
      const auto x0 = static_cast<uint64_t>(a.load_int(at.offset(0)));
      const auto x1 = static_cast<uint64_t>(b.load_int(at.offset(1)));
      y.store_int(at.count(), static_cast<int64_t>(Op::whole(x0, x1)));
    }
    return ok();
  }
  for (; !at.done(); at.next())
    y.store_int(at.count(), static_cast<int64_t>(
                                Op::whole(a.load_int(at.offset(0)), b.load_int(at.offset(1)))));
  return ok();
}

template <class Op>
std::optional<Dim> fold_content(std::span<const Dim> in) {
  std::optional<Dim> sum = in[0];
  for (size_t k = 1; k < in.size() && sum; ++k) sum = Op::content(*sum, in[k]);
  return sum;
}

template <class Op>
Result<std::vector<InferOutput>> infer_fold(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, fold_content<Op>);
}

/// y = in[0] op in[1] op …, rounded once, at the end.
template <class Op>
Status fold(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  std::vector<Dims> strides;
  for (const TensorView& x : context.in) strides.push_back(broadcast_strides(x.dims, y.dims));
  const auto run = [&](auto load, auto op, auto store) {
    for (Odometer at(y.dims, strides); !at.done(); at.next()) {
      auto sum = load(context.in[0], at.offset(0));
      for (size_t k = 1; k < context.in.size(); ++k)
        sum = op(sum, load(context.in[k], at.offset(k)));
      store(at.count(), sum);
    }
  };
  if (is_float(y.dtype)) {
    run([](const TensorView& x, int64_t i) { return x.load(i); }, Op::real,
        [&](int64_t i, double value) { y.store(i, value); });
  } else if (y.dtype == DType::kU64) {
    run([](const TensorView& x, int64_t i) { return static_cast<uint64_t>(x.load_int(i)); },
        Op::template whole<uint64_t>,
        [&](int64_t i, uint64_t value) { y.store_int(i, static_cast<int64_t>(value)); });
  } else {
    run([](const TensorView& x, int64_t i) { return x.load_int(i); }, Op::template whole<int64_t>,
        [&](int64_t i, int64_t value) { y.store_int(i, value); });
  }
  return ok();
}

// ---- Integers that wrap -----------------------------------------------------------------------

/// Sums, differences and products modulo 2^64: two's complement without undefined overflow.
template <class T>
constexpr T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class T>
constexpr T wrap_sub(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <class T>
constexpr T wrap_mul(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// a / b toward zero; x / 0 is 0, and the smallest integer / -1 is itself: nothing traps.
template <class T>
constexpr T safe_div(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return wrap_sub(T{0}, a);
  return a / b;
}
/// The remainder of safe_div, with the sign of a; x % 0 is 0.
template <class T>
constexpr T safe_rem(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return a % b;
}

}  // namespace npugraph::ops
