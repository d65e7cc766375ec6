// SPDX-License-Identifier: Apache-2.0
// Trilu: the upper or lower triangle of matrices. Source: ONNX Trilu-14.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const bool upper = context.attrs.flag("upper");
  int64_t k = 0;
  if (context.has(1)) {
    NPU_LET(k, scalar_of(context.in[1], "k of Trilu"));
  }
  NPU_TRY(copy_all(x, y));
  for (Odometer at(x.dims); !at.done(); at.next()) {
    const size_t last = x.dims.size() - 1;
    const int64_t diagonal = at.index()[last] - at.index()[last - 1];
    if (upper ? diagonal < k : diagonal > k) y.store_int(at.count(), 0);
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  if (x.shape.rank() < 2)
    return fail(ErrorId::kShapeMismatch, "rank of the input of Trilu", x.shape.str(),
                "rank 2 or more");
  if (context.has(1)) NPU_TRY(check_scalar(context.shape(1), "k of Trilu"));
  NPU_LET(auto outputs, one_output(x.dtype, x.shape));
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema trilu() {
  return {
      .name = "Trilu",
      .op_class = OpClass::kTensor,
      .doc = "y[.., i, j] = x[.., i, j] where j - i >= k (upper) or <= k (lower), else 0",
      .onnx = {"Trilu"},
      .aten = {"aten::triu", "aten::tril"},
      .inputs = {{"input", kDataTypes}, {"k", kI64Type, Arity::kOptional}},
      .outputs = {{"output"}},
      .attrs = {{"upper", AttrKind::kInt, int64_t{1}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
