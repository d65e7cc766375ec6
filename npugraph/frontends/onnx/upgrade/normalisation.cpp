// SPDX-License-Identifier: Apache-2.0
// Sources: Softmax-1/-11/-13, BatchNormalization-7/-9/-14, GroupNormalization-18/-21.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

int64_t int_or(const Call& call, std::string_view name, int64_t fallback) {
  const AttrValue* value = call.attrs.find(name);
  const int64_t* number = value != nullptr ? std::get_if<int64_t>(value) : nullptr;
  return number != nullptr ? *number : fallback;
}

/// True when the old meaning (all dims from `axis` on together) and the new one (that axis alone)
/// are the same: every dim behind the axis is 1.
bool only_axis_counts(const Shape& shape, int64_t axis) {
  if (!shape.ranked() || axis < -shape.rank() || axis >= shape.rank()) return false;
  const int64_t first = (axis < 0 ? axis + shape.rank() : axis) + 1;
  return std::all_of(shape.dims().begin() + first, shape.dims().end(),
                     [](const Dim& dim) { return dim == Dim(1); });
}

}  // namespace

Status softmax_flattened(Call& call, Emitter& emitter) {
  const int64_t axis = int_or(call, "axis", 1);
  call.attrs.set("axis", axis);
  Value* const x = call.input(0);
  if (x == nullptr) return ok();  // the schema's check names the missing input
  const TensorType* type = emitter.type_of(x);
  if (type != nullptr && only_axis_counts(type->shape, axis)) return ok();

  Attrs row, reshape;
  row.set("axis", int64_t{-1});
  reshape.set("allowzero", int64_t{1});  // a dim of 0 is a size here, not "as before"
  Value* shape = nullptr;
  const auto known = type != nullptr ? type->shape.known() : std::nullopt;
  if (known) {
    shape = emitter.ints("shape", *known);
  } else {
    NPU_LET(shape, emitter.node("Shape", {x}));
  }
  NPU_LET(const FlatTarget target, flatten_target(emitter, x, axis));
  Attrs flatten;
  flatten.set("allowzero", target.allowzero);
  NPU_LET(Value* const flat, emitter.node("Reshape", {x, target.shape}, flatten));
  NPU_LET(Value* const rows, emitter.node(call.op, {flat}, row));
  call.op = "Reshape";
  call.inputs = {rows, shape};
  call.attrs = reshape;
  return ok();
}

Status batch_norm_spatial(Call& call, Emitter&) {
  const int64_t spatial = int_or(call, "spatial", 1);
  if (spatial != 1)
    return fail(ErrorId::kOnnxAttribute, "attribute 'spatial' of BatchNormalization", text(spatial),
                "1: statistics for each channel");
  call.attrs.erase("spatial");
  return ok();
}

Status batch_norm_outputs(Call& call, Emitter&) {
  // More than one output meant training; exporters list them for inference too, and nobody reads
  // them then. A reader of one is told that nothing makes it.
  if (call.outputs.size() > 1) call.outputs.resize(1);
  return ok();
}

Status group_norm_per_group(Call& call, Emitter& emitter) {
  const int64_t groups = int_or(call, "num_groups", 0);
  const TensorType* type = emitter.type_of(call.input(0));
  std::optional<int64_t> channels;
  if (type != nullptr && type->shape.rank() >= 2) channels = type->shape[1].known();
  if (!channels)
    return fail(ErrorId::kUnknownDim, "GroupNormalization of opset 18 needs a known channel count",
                type != nullptr ? type->str() : "no type", "a number of channels");
  if (groups < 1 || *channels % groups != 0)
    return fail(ErrorId::kOnnxAttribute, "attribute 'num_groups' of GroupNormalization",
                text(groups), text("a divisor of the ", *channels, " channels"));
  if (groups == *channels) return ok();
  for (const size_t index : {size_t{1}, size_t{2}}) {
    if (call.input(index) == nullptr) continue;
    const std::string role = index == 1 ? "scale" : "bias";
    NPU_LET(
        Value* const column,
        emitter.node("Reshape", {call.input(index), emitter.ints(role + "_column", {groups, 1})}));
    NPU_LET(Value* const wide,
            emitter.node("Expand",
                         {column, emitter.ints(role + "_wide", {groups, *channels / groups})}));
    NPU_LET(Value* const each, emitter.node("Reshape", {wide, emitter.ints(role + "_row", {-1})}));
    call.set_input(index, each);
  }
  return ok();
}

}  // namespace npugraph::onnx
