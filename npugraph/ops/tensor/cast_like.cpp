// SPDX-License-Identifier: Apache-2.0
// CastLike: Cast to the dtype of a second tensor. Source: ONNX CastLike-15 and later.
#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/tensor/convert.h"

namespace npugraph::ops {
namespace {

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const DType dtype = context.type(1).dtype;
  return one_output(dtype, context.shape(0), converted_content(context, dtype));
}

Status reference(const RunContext& context) noexcept {
  return convert(context.in[0], context.out[0], context.attrs.flag("saturate"));
}

}  // namespace

OpSchema cast_like() {
  return {
      .name = "CastLike",
      .op_class = OpClass::kTensor,
      .doc = "input as the dtype of target_type, as Cast does it",
      .onnx = {"CastLike"},
      .aten = {"aten::type_as"},
      .inputs = {{"input"}, {"target_type"}},
      .outputs = {{"output"}},
      .attrs = {{"saturate", AttrKind::kInt, int64_t{1}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
