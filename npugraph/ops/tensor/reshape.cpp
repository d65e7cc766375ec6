// SPDX-License-Identifier: Apache-2.0
// Reshape: the same elements under another shape. Source: ONNX Reshape-14 and later.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// What the -1 of a shape stands for. Errors: kShapeMismatch when no whole number does.
Result<Dim> fill_dim(const Dim& total, const Dim& rest, const Shape& in) {
  if (rest == Dim(0))
    return fail(ErrorId::kShapeMismatch, "-1 in a shape beside a dimension of 0 has no answer",
                in.str());
  if (total.is_static() && rest.is_static() && total.value() % rest.value() != 0)
    return fail(ErrorId::kShapeMismatch, "the elements do not fill the shape",
                text(total, " elements in ", in.str()), text("a multiple of ", rest));
  if (const auto exact = Dim::exact_div(total, rest)) return *exact;
  return Dim::floor_div(total, rest);
}

/// Turns the wanted dims into real ones: 0 copies (unless allow_zero), -1 takes the rest.
/// An expression is a size: one that turned out 0 or -1 at run time would not be read as a sign.
Result<Shape> resolve(const Shape& in, std::vector<Dim> wanted, bool allow_zero) {
  std::optional<int64_t> open;
  Dim rest(1);
  for (int64_t axis = 0; axis < static_cast<int64_t>(wanted.size()); ++axis) {
    Dim& dim = wanted[at_index(axis)];
    if (dim == Dim(-1)) {
      if (open)
        return fail(ErrorId::kShapeMismatch, "more than one -1 in a shape", join(wanted),
                    "at most one -1");
      open = axis;
      continue;
    }
    if (dim == Dim(0) && !allow_zero) {
      if (axis >= in.rank())
        return fail(ErrorId::kShapeMismatch, text("0 at place ", axis, " copies no dimension"),
                    in.str(), text("an input of rank ", axis + 1, " or more"));
      dim = in[axis];
    }
    if (dim.known().value_or(0) < 0)
      return fail(ErrorId::kShapeMismatch, "a dimension is negative", join(wanted),
                  "dimensions of 0 or more, or one -1");
    rest = rest * dim;
  }
  const Dim total = in.elements();
  if (open) {
    NPU_LET(wanted[at_index(*open)], fill_dim(total, rest, in));
  } else if (dims_equal(total, rest) == false) {
    return fail(ErrorId::kShapeMismatch, "the elements do not fill the shape",
                text(total, " elements in ", in.str()),
                text(rest, " elements for ", Shape(wanted).str()));
  }
  return Shape(std::move(wanted));
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  if (context.shape(1).rank() != 1)
    return fail(ErrorId::kShapeMismatch, "rank of input 'shape' of Reshape", context.shape(1).str(),
                "one dimension");
  const DType dtype = context.type(0).dtype;
  const auto wanted = ints_of(context, 1);
  if (!wanted) {
    NPU_LET(Shape shape, late_shape(context, context.shape(1)[0]));
    return one_output(dtype, std::move(shape));
  }
  NPU_LET(Shape shape, resolve(context.shape(0), *wanted, context.attrs.flag("allowzero")));
  return one_output(dtype, std::move(shape), ints_of(context, 0));
}

Status reference(const RunContext& context) noexcept {
  return copy_all(context.in[0], context.out[0]);
}

}  // namespace

OpSchema reshape() {
  return {
      .name = "Reshape",
      .op_class = OpClass::kTensor,
      .doc =
          "the elements of data in the same order under the dims of shape; -1 takes what is "
          "left, 0 copies the dim of data (unless allowzero)",
      .onnx = {"Reshape", "Flatten"},
      .aten = {"aten::reshape", "aten::view", "aten::_unsafe_view", "aten::flatten.using_ints"},
      .inputs = {{"data"}, {"shape", kI64Type}},
      .outputs = {{"reshaped"}},
      .attrs = {{"allowzero", AttrKind::kInt, int64_t{0}, false, 0, 1}},
      .is_view = true,
      .infer = infer,
      .reference = reference,
      .work = no_work,
  };
}

}  // namespace npugraph::ops
