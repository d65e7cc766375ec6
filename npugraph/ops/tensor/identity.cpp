// SPDX-License-Identifier: Apache-2.0
// Identity. Source: ONNX Identity-1 and later.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return one_output(context.type(0).dtype, context.shape(0), ints_of(context, 0));
}

Status reference(const RunContext& context) noexcept {
  return copy_all(context.in[0], context.out[0]);
}

}  // namespace

OpSchema identity() {
  return {
      .name = "Identity",
      .op_class = OpClass::kTensor,
      .doc = "y = x",
      .onnx = {"Identity"},
      .aten = {"aten::alias", "aten::clone", "aten::contiguous", "aten::detach"},
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .is_view = true,
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
      .work = no_work,
  };
}

}  // namespace npugraph::ops
