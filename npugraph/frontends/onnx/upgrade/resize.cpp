// SPDX-License-Identifier: Apache-2.0
// Upsample and the first Resize become Resize-19. Before opset 11 coordinates are asymmetric,
// x_in = x_out / scale, and the nearest element is the one below for an axis that grows, the one
// above for an axis that shrinks (the example of Resize-10: [1 2 3 4] by 0.6 gives [1 3]).
#include <algorithm>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

/// The elements of a constant of floats; nothing when it is not constant.
std::optional<std::vector<float>> known_floats(const Value* value) {
  const Tensor* data = value != nullptr ? value->constant() : nullptr;
  if (data == nullptr || data->dtype() != DType::kF32) return std::nullopt;
  const auto elements = data->as<float>();
  return std::vector<float>(elements.begin(), elements.end());
}

void set_old_coordinates(Call& call, std::string_view nearest_mode) {
  const AttrValue* mode = call.attrs.find("mode");
  const std::string* word = mode != nullptr ? std::get_if<std::string>(mode) : nullptr;
  if (word != nullptr && *word == "bilinear") call.attrs.set("mode", std::string("linear"));
  call.attrs.set("coordinate_transformation_mode", std::string("asymmetric"));
  call.attrs.set("nearest_mode", std::string(nearest_mode));
}

Status use_scales(Call& call, Emitter& emitter, Value* scales) {
  call.inputs.resize(1);
  call.set_input(2, scales);
  const auto known = known_floats(scales);
  const auto shrinks = [](float scale) { return scale < 1.0f; };
  const auto grows = [](float scale) { return scale > 1.0f; };
  if (!known || std::none_of(known->begin(), known->end(), shrinks)) {
    set_old_coordinates(call, "floor");
    return ok();
  }
  set_old_coordinates(call, "ceil");
  if (std::none_of(known->begin(), known->end(), grows)) return ok();

  // One node cannot round both ways: grow first, then shrink. Axes are independent of each other.
  std::vector<float> growth = *known, shrinkage = *known;
  for (float& scale : growth) scale = std::max(scale, 1.0f);
  for (float& scale : shrinkage) scale = std::min(scale, 1.0f);
  const Dims dims = {static_cast<int64_t>(known->size())};
  Attrs attrs = call.attrs;
  attrs.set("nearest_mode", std::string("floor"));
  Value* grow = emitter.constant("growth", Tensor::of_floats(growth, dims));
  NPU_LET(Value* const grown, emitter.node("Resize", {call.input(0), nullptr, grow}, attrs));
  call.set_input(0, grown);
  call.set_input(2, emitter.constant("shrinkage", Tensor::of_floats(shrinkage, dims)));
  return ok();
}

bool is_empty_constant(const Value* value) {
  return value != nullptr && value->constant() != nullptr && value->constant()->elements() == 0;
}

}  // namespace

Status upsample_7(Call& call, Emitter& emitter) {
  const AttrValue* value = call.attrs.find("scales");
  const Floats* scales = value != nullptr ? std::get_if<Floats>(value) : nullptr;
  if (scales == nullptr)
    return fail(ErrorId::kOnnxAttribute, "attribute 'scales' of Upsample",
                value == nullptr ? "missing" : attr_str(*value), "a list of floats");
  const std::vector<float> numbers(scales->begin(), scales->end());
  call.attrs.erase("scales");
  const Dims dims = {static_cast<int64_t>(numbers.size())};
  return use_scales(call, emitter, emitter.constant("scales", Tensor::of_floats(numbers, dims)));
}

Status upsample_9(Call& call, Emitter& emitter) {
  if (call.input(1) == nullptr)
    return fail(ErrorId::kBadArity, "input 'scales' of Upsample", "absent", "a tensor");
  return use_scales(call, emitter, call.input(1));
}

Status resize_10(Call& call, Emitter& emitter) {
  if (call.input(1) == nullptr)
    return fail(ErrorId::kBadArity, "input 'scales' of Resize", "absent", "a tensor");
  return use_scales(call, emitter, call.input(1));
}

Status resize_empty_inputs(Call& call, Emitter&) {
  if (call.opset <= 10) return ok();
  // Opset 11 knew no absent inputs: exporters wrote empty tensors, and still do.
  for (size_t index = 1; index < call.inputs.size(); ++index)
    if (is_empty_constant(call.inputs[index])) call.inputs[index] = nullptr;
  return ok();
}

}  // namespace npugraph::onnx
