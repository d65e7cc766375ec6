// SPDX-License-Identifier: Apache-2.0
// Largest element of each window; padding takes no part. A window wholly in the padding gives
// -infinity, or the lowest integer. Source: ONNX MaxPool-22.
#include <cmath>
#include <limits>

#include "npugraph/ops/nn/pool.h"

namespace npugraph::ops {
namespace {

constexpr DTypeSet kPoolTypes = kFloatTypes | types({DType::kI8, DType::kU8});

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(Shape shape, pool_shape(context));
  NPU_LET(auto outputs, one_output(context.type(0).dtype, shape));
  if (context.output_count > 1) {
    NPU_LET(auto indices, one_output(DType::kI64, std::move(shape)));
    outputs.push_back(std::move(indices[0]));
  }
  return outputs;
}

/// The index that the Indices output names: within the whole tensor, rows first, or columns first.
int64_t index_of(const Window3& window, int64_t plane, int64_t place, bool column_major) {
  if (!column_major) return plane * window.in_count() + place;
  const int64_t w = place % window.in[2];
  const int64_t h = place / window.in[2] % window.in[1];
  const int64_t d = place / window.in[2] / window.in[1];
  // The first spatial axis runs fastest; axes that the tensor lacks have one element.
  return plane * window.in_count() + d + window.in[0] * (h + window.in[1] * w);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const Window3 window, pool_window(context));
  const bool column_major = context.attrs.flag("storage_order");
  const double lowest = is_float(x.dtype)       ? -std::numeric_limits<double>::infinity()
                        : x.dtype == DType::kI8 ? -128.0
                                                : 0.0;
  const int64_t planes = x.dims[0] * x.dims[1];
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (Odometer at(Dims(window.out, window.out + 3)); !at.done(); at.next()) {
      const Dims& p = at.index();
      const Taps taps[3] = {taps_of(window, 0, p[0]), taps_of(window, 1, p[1]),
                            taps_of(window, 2, p[2])};
      double best = lowest;
      int64_t place = -1;
      each_tap(window, taps, [&](int64_t i) {
        const double value = x.load(plane * window.in_count() + i);
        if (place < 0 || value > best || (std::isnan(value) && !std::isnan(best)))
          best = value, place = i;
      });
      const int64_t out = plane * window.out_count() + at.count();
      y.store(out, best);
      if (context.out.size() > 1)
        context.out[1].store_int(out,
                                 place < 0 ? -1 : index_of(window, plane, place, column_major));
    }
  }
  return ok();
}

std::vector<AttrSchema> attributes() {
  std::vector<AttrSchema> attrs = pool_attrs();
  attrs.push_back({"storage_order", AttrKind::kInt, int64_t{0}, false, 0, 1});
  return attrs;
}

}  // namespace

OpSchema max_pool() {
  return {
      .name = "MaxPool",
      .op_class = OpClass::kNn,
      .doc = "Y[n, c, p] = the largest X[n, c, stride p + dilation k - pad] over k",
      .onnx = {"MaxPool"},
      .aten = {"aten::max_pool2d", "aten::max_pool2d_with_indices"},
      .inputs = {{"X", kPoolTypes}},
      .outputs = {{"Y"}, {"Indices", Arity::kOptional}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = pool_work,
  };
}

}  // namespace npugraph::ops
