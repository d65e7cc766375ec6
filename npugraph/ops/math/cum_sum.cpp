// SPDX-License-Identifier: Apache-2.0
// Running sum along an axis. Source: ONNX CumSum-14.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const auto count = context.shape(1).elements().known();
  if (count && *count != 1)
    return fail(ErrorId::kShapeMismatch, "axis of CumSum", context.shape(1).str(), "a scalar");
  if (const auto axis = numbers_of(context, 1); axis && axis->size() == 1)
    NPU_TRY(wrap_axis(axis->front(), context.shape(0).rank()));
  return infer_same(context);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const int64_t given, scalar_of(context.in[1], "axis of CumSum"));
  NPU_LET(const int64_t axis, wrap_axis(given, x.rank()));
  const int64_t length = x.dims[at_index(axis)];
  const int64_t stride = product(x.dims, axis + 1, x.rank());
  const bool exclusive = context.attrs.flag("exclusive");
  const bool reverse = context.attrs.flag("reverse");
  const int64_t rows = length == 0 ? 0 : x.elements() / length;
  const auto run = [&](auto zero, auto load, auto add, auto store) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t first = row / stride * stride * length + row % stride;
      auto sum = zero;
      for (int64_t k = 0; k < length; ++k) {
        const int64_t i = first + (reverse ? length - 1 - k : k) * stride;
        if (exclusive) store(i, sum);
        sum = add(sum, load(i));
        if (!exclusive) store(i, sum);
      }
    }
  };
  if (is_float(x.dtype))
    run(
        0.0, [&](int64_t i) { return x.load(i); }, [](double a, double b) { return a + b; },
        [&](int64_t i, double sum) { y.store(i, sum); });
  else
    run(
        int64_t{0}, [&](int64_t i) { return x.load_int(i); }, wrap_add<int64_t>,
        [&](int64_t i, int64_t sum) { y.store_int(i, sum); });
  return ok();
}

}  // namespace

OpSchema cum_sum() {
  return {
      .name = "CumSum",
      .op_class = OpClass::kMath,
      .doc = "y[i] = x[0] + ... + x[i] along axis; exclusive: without x[i]; reverse: from the end",
      .onnx = {"CumSum"},
      .aten = {"aten::cumsum"},
      .inputs = {{"x", kNumberTypes}, {"axis", kIndexTypes}},
      .outputs = {{"y"}},
      .attrs = {{"exclusive", AttrKind::kInt, int64_t{0}, false, 0, 1},
                {"reverse", AttrKind::kInt, int64_t{0}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
