// SPDX-License-Identifier: Apache-2.0
// Sources: Pad-11, Clip-11, Dropout-12, Cast-6, GridSample-20, RoiAlign-16.
#include <algorithm>
#include <cctype>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

/// Moves a float attribute into a scalar input of the dtype of input 0; a missing one stays absent.
Status float_to_input(Call& call, Emitter& emitter, std::string_view name, size_t index) {
  const AttrValue* value = call.attrs.find(name);
  if (value == nullptr) return ok();
  const double* number = std::get_if<double>(value);
  if (number == nullptr)
    return fail(ErrorId::kOnnxAttribute, text("attribute '", name, "' of ", call.op),
                attr_str(*value), "a float");
  const DType dtype = emitter.dtype_of(call.input(0));
  call.set_input(index, emitter.constant(name, Tensor::scalar(dtype, *number)));
  call.attrs.erase(name);
  return ok();
}

}  // namespace

Status pad_to_inputs(Call& call, Emitter& emitter) {
  const AttrValue* pads = call.attrs.find("pads");
  const Ints* list = pads != nullptr ? std::get_if<Ints>(pads) : nullptr;
  if (list == nullptr)
    return fail(ErrorId::kOnnxAttribute, "attribute 'pads' of Pad",
                pads == nullptr ? "missing" : attr_str(*pads), "a list of integers");
  call.set_input(1, emitter.ints("pads", *list));
  call.attrs.erase("pads");
  return float_to_input(call, emitter, "value", 2);
}

Status clip_to_inputs(Call& call, Emitter& emitter) {
  NPU_TRY(float_to_input(call, emitter, "min", 1));
  return float_to_input(call, emitter, "max", 2);
}

Status drop_ratio(Call& call, Emitter&) {
  call.attrs.erase("ratio");  // says nothing outside of training
  return ok();
}

Status cast_to_number(Call& call, Emitter&) {
  const AttrValue* to = call.attrs.find("to");
  const std::string* word = to != nullptr ? std::get_if<std::string>(to) : nullptr;
  if (word == nullptr) return ok();
  std::string name = *word;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name == "float") name = "float32";
  if (name == "double") name = "float64";
  const auto dtype = parse_dtype(name);
  if (!dtype)
    return fail(ErrorId::kOnnxAttribute, "attribute 'to' of Cast", attr_str(*to), "a data type");
  call.attrs.set("to", int64_t{onnx_dtype(*dtype)});
  return ok();
}

Status grid_sample_mode(Call& call, Emitter&) {
  const AttrValue* mode = call.attrs.find("mode");
  const std::string* word = mode != nullptr ? std::get_if<std::string>(mode) : nullptr;
  if (word == nullptr) return ok();
  const std::string old = *word;
  if (old == "bilinear") call.attrs.set("mode", std::string("linear"));
  if (old == "bicubic") call.attrs.set("mode", std::string("cubic"));
  return ok();
}

Status roi_align_coordinates(Call& call, Emitter&) {
  // The older form has no half-pixel shift.
  call.attrs.set("coordinate_transformation_mode", std::string("output_half_pixel"));
  return ok();
}

}  // namespace npugraph::onnx
