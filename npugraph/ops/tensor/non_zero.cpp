// SPDX-License-Identifier: Apache-2.0
// NonZero: where a tensor is not zero. Source: ONNX NonZero-13.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

int64_t count_non_zero(const TensorView& x) {
  const int64_t elements = x.elements();
  int64_t count = 0;
  for (int64_t i = 0; i < elements; ++i) count += x.load(i) != 0;
  return count;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const int64_t count = count_non_zero(x);
  NPU_TRY(check_dims(y, {x.rank(), count}));
  int64_t column = 0;
  for (Odometer at(x.dims); !at.done(); at.next()) {
    if (x.load(at.count()) == 0) continue;
    for (int64_t d = 0; d < x.rank(); ++d) y.store_int(d * count + column, at.index()[at_index(d)]);
    ++column;
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Tensor* constant = context.in[0].constant;
  const Dim count =
      constant != nullptr ? Dim(count_non_zero(constant->view())) : context.late_dim(0);
  return one_output(DType::kI64, {Dim(context.shape(0).rank()), count});
}

}  // namespace

OpSchema non_zero() {
  return {
      .name = "NonZero",
      .op_class = OpClass::kTensor,
      .doc = "column j of Y is the index of the j-th element of X that is not 0, row-major",
      .onnx = {"NonZero"},
      .aten = {"aten::nonzero"},
      .inputs = {{"X", kDataTypes}},
      .outputs = {{"Y"}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
