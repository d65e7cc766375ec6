// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/math/arg_extreme.h"

namespace npugraph::ops {

Result<std::vector<InferOutput>> infer_arg_extreme(const InferContext& context) {
  const Shape& x = context.shape(0);
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  if (x[axis] == Dim(0))
    return fail(ErrorId::kShapeMismatch, "the axis has no elements", x.str(), "at least one");
  std::vector<Dim> dims = x.dims();
  if (context.attrs.flag("keepdims"))
    dims[at_index(axis)] = Dim(1);
  else
    dims.erase(dims.begin() + axis);
  return one_output(DType::kI64, Shape(std::move(dims)));
}

OpSchema arg_extreme_schema(std::string_view name, std::string_view doc, std::string_view aten,
                            Status (*reference)(const RunContext&) noexcept) {
  return {
      .name = name,
      .op_class = OpClass::kMath,
      .doc = doc,
      .onnx = {name},
      .aten = {aten},
      .inputs = {{"data", kNumberTypes}},
      .outputs = {{"reduced"}},
      .attrs = {{"axis", AttrKind::kInt, int64_t{0}},
                {"keepdims", AttrKind::kInt, int64_t{1}, false, 0, 1},
                {"select_last_index", AttrKind::kInt, int64_t{0}, false, 0, 1}},
      .infer = infer_arg_extreme,
      .reference = reference,
      .work = [](std::span<const TensorType> in, std::span<const TensorType> out,
                 const Attrs&) -> Work {
        return {.flops = static_cast<double>(in[0].shape.elements().value()),
                .bytes = static_cast<double>(in[0].bytes().value() + out[0].bytes().value())};
      },
  };
}

}  // namespace npugraph::ops
