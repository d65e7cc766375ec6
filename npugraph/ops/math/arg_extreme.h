// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// ArgMax and ArgMin, which differ in one comparison.
namespace npugraph::ops {

/// Errors: kAxisOutsideRank; kShapeMismatch when the axis has no elements.
Result<std::vector<InferOutput>> infer_arg_extreme(const InferContext& context);

OpSchema arg_extreme_schema(std::string_view name, std::string_view doc, std::string_view aten,
                            Status (*reference)(const RunContext&) noexcept);

/// y = the place along the axis of the first element x for which no other is before(other, x).
/// Order: a struct with `template <class T> static bool before(T, T)`.
template <class Order>
Status arg_extreme(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  const int64_t length = x.dims[at_index(axis)];
  const int64_t stride = product(x.dims, axis + 1, x.rank());
  const bool last = context.attrs.flag("select_last_index");
  const int64_t count = y.elements();
  if (length == 0 && count > 0)
    return fail(ErrorId::kShapeMismatch, "the axis has no elements", dims_str(x.dims),
                "at least one");
  const auto run = [&](auto load) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t first = i / stride * stride * length + i % stride;
      int64_t best = 0;
      auto peak = load(first);
      for (int64_t k = 1; k < length; ++k) {
        const auto value = load(first + k * stride);
        if (Order::before(value, peak) || (last && value == peak)) best = k, peak = value;
      }
      y.store_int(i, best);
    }
  };
  if (is_float(x.dtype))
    run([&](int64_t i) { return x.load(i); });
  else if (x.dtype == DType::kU64)
    run([&](int64_t i) { return static_cast<uint64_t>(x.load_int(i)); });
  else
    run([&](int64_t i) { return x.load_int(i); });
  return ok();
}

}  // namespace npugraph::ops
