// SPDX-License-Identifier: Apache-2.0
// Slice: a strided box of a tensor. Source: ONNX Slice-13.
#include <algorithm>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

// No axis is as long: see kMaxTensor_bytes. Exporters write the limits of int64 for "all the way".
constexpr int64_t kFar = int64_t{1} << 50;

/// `index` counted from the front of an axis of `length`; where its sign depends on the symbols,
/// the expression decides it: index + length * [index < 0].
Dim from_front(const Dim& index, const Dim& length) {
  if (index.is_nonnegative()) return index;
  if ((Dim(-1) - index).is_nonnegative()) return index + length;
  const Dim is_front = Dim::min(Dim(1), Dim::max(Dim(0), index + Dim(1)));
  return index + length * (Dim(1) - is_front);
}

/// For an axis of unknown length: a start or end that is beyond it whatever it is.
bool is_past(const Dim& index, const Dim& length) {
  return !length.is_static() && index.known().value_or(0) >= kFar;
}
bool is_before(const Dim& index, const Dim& length) {
  return !length.is_static() && index.known().value_or(0) <= -kFar;
}

/// Elements that a forward slice takes; start and end as given.
Dim forward_length(const Dim& start, const Dim& end, int64_t step, const Dim& length) {
  const Dim first = is_before(start, length) ? Dim(0) : Dim::max(Dim(0), from_front(start, length));
  const Dim last = is_past(end, length) ? length : Dim::min(from_front(end, length), length);
  if (is_past(start, length)) return Dim(0);
  if (last == length) {
    // length - min(first, length), written so that as few calls as possible are left
    const bool from_back = start.known().value_or(0) < 0 && first != Dim(0);
    const Dim span =
        from_back ? Dim::min(length, Dim(0) - start) : Dim::max(Dim(0), length - first);
    return Dim::ceil_div(span, Dim(step));
  }
  const Dim from = first == Dim(0) ? first : Dim::min(first, length);
  return Dim::ceil_div(Dim::max(Dim(0), Dim::max(Dim(0), last) - from), Dim(step));
}

/// The same backward: start is held to the axis, end to one before it.
Dim backward_length(const Dim& start, const Dim& end, int64_t step, const Dim& length) {
  const Dim top = length - Dim(1);
  const Dim front = is_past(start, length)     ? top
                    : is_before(start, length) ? Dim(0)
                                               : Dim::min(from_front(start, length), top);
  const Dim down = Dim(0) - Dim(step);
  if (is_before(end, length) && front == top) return Dim::ceil_div(length, down);
  if (is_past(end, length)) return Dim(0);
  const Dim first = Dim::max(Dim(0), front);
  const Dim last =
      is_before(end, length) ? Dim(-1) : Dim::max(Dim(-1), Dim::min(from_front(end, length), top));
  // An axis without elements: first is 0 and last -1, yet there is nothing to take.
  return Dim::ceil_div(Dim::min(length, Dim::max(Dim(0), first - last)), down);
}

/// What is to be taken along each of `axes`; an empty list of lengths: not known.
struct Box {
  Ints axes;
  std::vector<Dim> lengths;
};

Result<Box> box_of(const InferContext& context, const Ints& axes) {
  const auto starts = ints_of(context, 1);
  const auto ends = ints_of(context, 2);
  const auto given = numbers_of(context, 4);
  Box box{axes, {}};
  if (!starts || !ends || (context.has(4) && !given)) return box;
  const Ints steps = given.value_or(Ints(axes.size(), 1));
  if (starts->size() != axes.size() || ends->size() != axes.size() || steps.size() != axes.size())
    return fail(ErrorId::kShapeMismatch, "starts, ends, axes and steps differ in length",
                text(starts->size(), ", ", ends->size(), ", ", axes.size(), ", ", steps.size()),
                "equal lengths");
  for (size_t i = 0; i < axes.size(); ++i) {
    const Dim& length = context.shape(0)[axes[i]];
    if (steps[i] == 0)
      return fail(ErrorId::kShapeMismatch, "a step of Slice", text(steps[i]),
                  "a step other than 0");
    const auto count = steps[i] > 0 ? forward_length : backward_length;
    box.lengths.push_back(count((*starts)[i], (*ends)[i], steps[i], length));
  }
  return box;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const Ints starts = ints_of(context.in[1]);
  NPU_LET(Ints axes, axes_of(context, 3, x.rank()));
  if (!context.has(3))
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  const Ints steps = context.has(4) ? ints_of(context.in[4]) : Ints(starts.size(), 1);
  if (y.rank() != x.rank() || axes.size() != starts.size() || steps.size() != starts.size() ||
      axes.size() > x.dims.size())
    return fail(ErrorId::kShapeMismatch, "starts, axes and steps differ in length");
  Dims strides = strides_of(x.dims);
  const Dims dense = strides;
  Dims wanted = x.dims;
  int64_t offset = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = at_index(axes[i]);
    const int64_t length = x.dims[axis], count = y.dims[axis];
    wanted[axis] = count;
    if (count == 0) continue;
    int64_t first = starts[i] < 0 ? std::max(int64_t{0}, starts[i] + length) : starts[i];
    if (steps[i] < 0) first = std::min(first, length - 1);
    // count is 1 or more here, so a step beyond the axis is never taken.
    const int64_t step = count == 1 ? 0 : steps[i];
    const auto reach = checked_mul(step, count - 1);
    if (!reach || first >= length || *reach >= length - first || *reach < -first)
      return fail(ErrorId::kIndexOutOfRange, "a slice leaves its tensor", dims_str(y.dims),
                  dims_str(x.dims));
    offset += first * dense[axis];
    strides[axis] = dense[axis] * step;
  }
  NPU_TRY(check_dims(y, wanted));
  copy_strided(x, offset, y.dims, strides, y);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  const Shape& list = context.shape(1);
  for (const int64_t input : {1, 2, 4})
    if (context.has(input)) NPU_TRY(check_list(context.shape(input), "a list of Slice"));
  NPU_LET(auto axes, axes_of(context, 3, x.shape.rank()));
  const auto starts = ints_of(context, 1);
  const auto count = starts             ? static_cast<int64_t>(starts->size())
                     : list.rank() == 1 ? list[0].known()
                                        : std::optional<int64_t>(1);
  if (!context.has(3)) {
    if (count.value_or(0) > x.shape.rank())
      return fail(ErrorId::kShapeMismatch, "starts of Slice name more axes than there are",
                  list.str(), text("at most ", x.shape.rank()));
    for (int64_t d = 0; d < count.value_or(x.shape.rank()); ++d) axes->push_back(d);
  }
  if (!axes) {
    NPU_LET(Shape shape, late_shape(context, Dim(x.shape.rank())));
    return one_output(x.dtype, std::move(shape));
  }
  NPU_LET(const Box box, box_of(context, *axes));
  Shape shape = x.shape;
  for (size_t i = 0; i < box.axes.size(); ++i)
    shape[box.axes[i]] = box.lengths.empty() ? context.late_dim(box.axes[i]) : box.lengths[i];
  NPU_LET(auto outputs, one_output(x.dtype, std::move(shape)));
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema slice() {
  return {
      .name = "Slice",
      .op_class = OpClass::kTensor,
      .doc =
          "elements start, start + step, ... before end along each of axes; negative starts and "
          "ends count from the back",
      .onnx = {"Slice"},
      .aten = {"aten::slice.Tensor", "aten::narrow", "aten::flip"},
      .inputs = {{"data", kDataTypes},
                 {"starts", kIndexTypes, Arity::kOne, "Tind"},
                 {"ends", kIndexTypes, Arity::kOne, "Tind"},
                 {"axes", kIndexTypes, Arity::kOptional, "Tind"},
                 {"steps", kIndexTypes, Arity::kOptional, "Tind"}},
      .outputs = {{"output"}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
