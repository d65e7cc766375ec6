// SPDX-License-Identifier: Apache-2.0
// Mean of any number of tensors, element by element with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, nullptr);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  std::vector<Dims> strides;
  for (const TensorView& x : context.in) strides.push_back(broadcast_strides(x.dims, y.dims));
  const auto count = static_cast<double>(context.in.size());
  for (Odometer at(y.dims, std::move(strides)); !at.done(); at.next()) {
    double sum = 0;
    for (size_t k = 0; k < context.in.size(); ++k) sum += context.in[k].load(at.offset(k));
    y.store(at.count(), sum / count);
  }
  return ok();
}

}  // namespace

OpSchema mean() {
  return {
      .name = "Mean",
      .op_class = OpClass::kMath,
      .doc = "y = (data_0 + data_1 + ...) / n",
      .onnx = {"Mean"},
      .inputs = {{"data_0", kFloatTypes, Arity::kVariadic, "T"}},
      .outputs = {{"mean"}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
