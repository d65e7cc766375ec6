// SPDX-License-Identifier: Apache-2.0
// Cast to another dtype. Source: ONNX Cast-13 and later.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/tensor/convert.h"

namespace npugraph::ops {
namespace {

/// The attribute `to` as a dtype. Errors: kBadAttribute, kDTypeMismatch for one that is not kept.
Result<DType> target(const Attrs& attrs) {
  const int64_t number = attrs.i64("to");
  const auto dtype = dtype_from_onnx(static_cast<int32_t>(number));
  if (dtype) return *dtype;
  return fail(ErrorId::kBadAttribute, "attribute 'to' of Cast", text(number),
              text("an ONNX element type among ", kAllTypes.str()));
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_LET(const DType dtype, target(context.attrs));
  return one_output(dtype, context.shape(0), converted_content(context, dtype));
}

Status reference(const RunContext& context) noexcept {
  return convert(context.in[0], context.out[0], context.attrs.flag("saturate"));
}

}  // namespace

OpSchema cast() {
  return {
      .name = "Cast",
      .op_class = OpClass::kTensor,
      .doc =
          "each element as the dtype `to` (ONNX's number): floats truncate toward zero, "
          "integers wrap, narrower floats round to nearest even",
      .onnx = {"Cast"},
      .aten = {"aten::_to_copy", "aten::to.dtype"},
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attrs = {{"to", AttrKind::kInt, std::nullopt, true, 1, 22},
                {"saturate", AttrKind::kInt, int64_t{1}, false, 0, 1}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
