// SPDX-License-Identifier: Apache-2.0
// Size: the number of elements of a tensor. Source: ONNX Size-13 and later.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  NPU_TRY(check_dims(context.out[0], {}));
  context.out[0].store_int(0, context.in[0].elements());
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return one_output(DType::kI64, {}, std::vector<Dim>{context.shape(0).elements()});
}

}  // namespace

OpSchema size() {
  return {
      .name = "Size",
      .op_class = OpClass::kTensor,
      .doc = "the number of elements of data",
      .onnx = {"Size"},
      .aten = {"aten::sym_numel"},
      .inputs = {{"data"}},
      .outputs = {{"size"}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
