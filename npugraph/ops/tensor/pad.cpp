// SPDX-License-Identifier: Apache-2.0
// Pad: adds or cuts borders. Source: ONNX Pad-19 and later; numpy.pad for reflect on short axes.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// One axis of the output: `before` and `after` may be negative, which cuts.
struct Border {
  int64_t before = 0, after = 0;

  int64_t first_kept() const { return std::max(int64_t{0}, -before); }
  int64_t kept(int64_t length) const {
    return length - first_kept() - std::max(int64_t{0}, -after);
  }
};

/// Where element `i` of a padded axis comes from; -1: from nowhere, it is the constant.
int64_t source_of(int64_t i, int64_t length, const Border& border, std::string_view mode) {
  const int64_t kept = border.kept(length);
  int64_t k = i - std::max(int64_t{0}, border.before);
  if (k < 0 || k >= kept) {
    if (mode == "constant") return -1;
    if (mode == "edge") {
      k = std::clamp(k, int64_t{0}, kept - 1);
    } else if (mode == "wrap") {
      k = (k % kept + kept) % kept;
    } else {
      const int64_t period = std::max(int64_t{1}, 2 * (kept - 1));
      k = (k % period + period) % period;
      k = std::min(k, period - k);
      if (kept == 1) k = 0;
    }
  }
  return border.first_kept() + k;
}

/// The borders of all axes from the two inputs.
Result<std::vector<Border>> borders_of(const RunContext& context) {
  const int64_t rank = context.in[0].rank();
  const Ints pads = ints_of(context.in[1]);
  NPU_LET(Ints axes, axes_of(context, 3, rank));
  if (!context.has(3))
    for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
  if (pads.size() != 2 * axes.size())
    return fail(ErrorId::kShapeMismatch, "number of pads", text(pads.size()),
                text(2 * axes.size(), ", two an axis"));
  std::vector<Border> borders(at_index(rank));
  for (size_t i = 0; i < axes.size(); ++i)
    borders[at_index(axes[i])] = {pads[i], pads[i + axes.size()]};
  return borders;
}

/// Errors: kShapeMismatch when more is cut than there is, or there is nothing to repeat.
Status check_border(int64_t length, const Border& border, std::string_view mode) {
  for (const int64_t count : {border.before, border.after})
    if (count > kMaxTensor_bytes || count < -kMaxTensor_bytes)
      return fail(ErrorId::kSizeOverflow, "a pad is too large", text(count));
  const int64_t kept = border.kept(length);
  const bool grows = border.before > 0 || border.after > 0;
  if (kept < 0 || (kept == 0 && grows && mode != "constant"))
    return fail(ErrorId::kShapeMismatch, "an axis is too short for its pads",
                text("length ", length, ", pads ", border.before, " and ", border.after),
                kept < 0 ? "pads that cut no more than the length"
                         : text("elements to pad from in mode ", mode));
  return ok();
}

/// For each axis, where each element of the output comes from.
Result<std::vector<Ints>> sources_of(const RunContext& context) {
  const TensorView& x = context.in[0];
  const std::string& mode = context.attrs.str("mode");
  NPU_LET(const auto borders, borders_of(context));
  std::vector<Ints> sources;
  Dims wanted;
  for (size_t d = 0; d < borders.size(); ++d) {
    NPU_TRY(check_border(x.dims[d], borders[d], mode));
    wanted.push_back(x.dims[d] + borders[d].before + borders[d].after);
  }
  NPU_TRY(check_dims(context.out[0], wanted));
  for (size_t d = 0; d < borders.size(); ++d) {
    sources.emplace_back();
    for (int64_t i = 0; i < wanted[d]; ++i)
      sources.back().push_back(source_of(i, x.dims[d], borders[d], mode));
  }
  return sources;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  if (y.elements() == 0) return ok();
  NPU_LET(const auto sources, sources_of(context));
  if (context.has(2)) NPU_TRY(scalar_of(context.in[2], "the pad value"));
  const Dims strides = strides_of(x.dims);
  for (Odometer at(y.dims); !at.done(); at.next()) {
    int64_t from = 0;
    for (size_t d = 0; d < strides.size() && from >= 0; ++d) {
      const int64_t source = sources[d][at_index(at.index()[d])];
      from = source < 0 ? -1 : from + source * strides[d];
    }
    if (from >= 0)
      copy_elements(x, from, y, at.count());
    else if (context.has(2))
      copy_elements(context.in[2], 0, y, at.count());
    else
      y.store_int(at.count(), 0);
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  NPU_LET(auto axes, axes_of(context, 3, x.shape.rank()));
  if (!axes) {
    NPU_LET(Shape late, late_shape(context, Dim(x.shape.rank())));
    return one_output(x.dtype, std::move(late));
  }
  if (!context.has(3))
    for (int64_t d = 0; d < x.shape.rank(); ++d) axes->push_back(d);
  NPU_TRY(check_list(context.shape(1), "input 'pads' of Pad"));
  if (context.has(2)) NPU_TRY(check_scalar(context.shape(2), "the pad value"));
  const auto pads = ints_of(context, 1);
  if (pads && pads->size() != 2 * axes->size())
    return fail(ErrorId::kShapeMismatch, "number of pads of Pad", text(pads->size()),
                text(2 * axes->size(), ", two an axis"));
  Shape shape = x.shape;
  for (size_t i = 0; i < axes->size(); ++i) {
    const int64_t axis = (*axes)[i];
    if (!pads) {
      shape[axis] = context.late_dim(axis);
      continue;
    }
    const Dim& before = (*pads)[i];
    const Dim& after = (*pads)[i + axes->size()];
    if (x.shape[axis].is_static() && before.is_static() && after.is_static())
      NPU_TRY(check_border(x.shape[axis].value(), {before.value(), after.value()},
                           context.attrs.str("mode")));
    shape[axis] = shape[axis] + before + after;
  }
  NPU_LET(auto outputs, one_output(x.dtype, std::move(shape)));
  move_contents(context, reference, [](int64_t i) { return i == 0 || i == 2; }, outputs);
  return outputs;
}

}  // namespace

OpSchema pad() {
  return {
      .name = "Pad",
      .op_class = OpClass::kTensor,
      .doc =
          "pads[i] elements before and pads[i + n] after axis axes[i]: a constant, the edge, a "
          "mirror image, or the other end",
      .onnx = {"Pad"},
      .aten = {"aten::constant_pad_nd", "aten::pad", "aten::reflection_pad1d",
               "aten::reflection_pad2d", "aten::replication_pad1d", "aten::replication_pad2d"},
      .inputs = {{"data", kAllTypes, Arity::kOne, "T"},
                 {"pads", kI64Type},
                 {"constant_value", kAllTypes, Arity::kOptional, "T"},
                 {"axes", kIndexTypes, Arity::kOptional}},
      .outputs = {{"output"}},
      .attrs = {{.name = "mode",
                 .kind = AttrKind::kString,
                 .fallback = std::string("constant"),
                 .choices = {"constant", "reflect", "edge", "wrap"}}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
