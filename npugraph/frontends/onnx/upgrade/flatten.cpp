// SPDX-License-Identifier: Apache-2.0
// Flatten is a Reshape: one operator for all that keep the elements in their order. Source:
// Flatten-13 and later, Reshape-14 and later.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

/// The product of dims, if each is a number.
std::optional<int64_t> product(std::span<const Dim> dims) {
  Dim total(1);
  for (const Dim& dim : dims) total = total * dim;
  return total.known();
}

Result<FlatTarget> known_target(Emitter& emitter, int64_t rows, int64_t columns) {
  return FlatTarget{emitter.ints("shape", {rows, columns}), 0};
}

/// Both sides as products of the dims that running finds: right for sizes of 0 too.
Result<FlatTarget> computed_target(Emitter& emitter, Value* x, int64_t axis) {
  Attrs before, after, join;
  before.set("end", axis);
  after.set("start", axis);
  join.set("axis", int64_t{0});
  NPU_LET(Value* const lead, emitter.node("Shape", {x}, before));
  NPU_LET(Value* const rows, emitter.node("ReduceProd", {lead}));
  NPU_LET(Value* const trail, emitter.node("Shape", {x}, after));
  NPU_LET(Value* const columns, emitter.node("ReduceProd", {trail}));
  NPU_LET(Value* const shape, emitter.node("Concat", {rows, columns}, join));
  return FlatTarget{shape, 1};
}

}  // namespace

Result<FlatTarget> flatten_target(Emitter& emitter, Value* x, int64_t axis) {
  const TensorType* type = emitter.type_of(x);
  if (axis == 0) return known_target(emitter, 1, -1);
  if (type == nullptr || !type->shape.ranked()) return computed_target(emitter, x, axis);
  const int64_t rank = type->shape.rank();
  if (axis < -rank || axis > rank)
    return fail(ErrorId::kAxisOutsideRank, "attribute 'axis'", text(axis),
                text(-rank, "..", rank, " for ", type->shape.str()));
  const std::span<const Dim> dims = type->shape.dims();
  const auto cut = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  const auto rows = product(dims.first(cut)), columns = product(dims.subspan(cut));
  if (rows && columns) {
    NPU_LET(FlatTarget target, known_target(emitter, *rows, *columns));
    target.allowzero = 1;
    return target;
  }
  // -1 has an answer only beside a number that is not 0; 0 copies the first dim.
  if (rows && *rows > 0) return known_target(emitter, *rows, -1);
  if (cut == 1 && columns && *columns > 0) return known_target(emitter, 0, *columns);
  return computed_target(emitter, x, axis);
}

Status flatten_to_reshape(Call& call, Emitter& emitter) {
  int64_t axis = 1;
  if (const AttrValue* given = call.attrs.find("axis"); given != nullptr) {
    const auto* number = std::get_if<int64_t>(given);
    if (number == nullptr)
      return fail(ErrorId::kOnnxAttribute, "attribute 'axis' of Flatten", attr_str(*given),
                  "an integer");
    axis = *number;
    call.attrs.erase("axis");
  }
  if (call.input(0) == nullptr || call.inputs.size() != 1)
    return fail(ErrorId::kBadArity, "inputs of Flatten", text(call.inputs.size()), "1");
  NPU_LET(const FlatTarget target, flatten_target(emitter, call.input(0), axis));
  call.set_input(1, target.shape);
  if (target.allowzero != 0) call.attrs.set("allowzero", target.allowzero);
  return ok();
}

}  // namespace npugraph::onnx
