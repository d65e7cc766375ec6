// SPDX-License-Identifier: Apache-2.0
// Attributes that became inputs. Sources: Squeeze-13, Unsqueeze-13, ReduceSum-13, the other
// Reduce*-18, Split-13 and -18, Slice-10, TopK-10, DFT-20.
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

/// Removes an attribute that is a list of integers and returns it. Errors: kOnnxAttribute.
Result<Ints> take_ints(Call& call, std::string_view name) {
  const AttrValue* value = call.attrs.find(name);
  const Ints* list = value != nullptr ? std::get_if<Ints>(value) : nullptr;
  if (list == nullptr)
    return fail(ErrorId::kOnnxAttribute, text("attribute '", name, "' of ", call.op),
                value == nullptr ? "missing" : attr_str(*value), "a list of integers");
  Ints out = *list;
  call.attrs.erase(name);
  return out;
}

/// The same for one integer, which may be missing when there is a fallback.
Result<int64_t> take_int(Call& call, std::string_view name, std::optional<int64_t> fallback) {
  const AttrValue* value = call.attrs.find(name);
  if (value == nullptr && fallback) return *fallback;
  const int64_t* number = value != nullptr ? std::get_if<int64_t>(value) : nullptr;
  if (number == nullptr)
    return fail(ErrorId::kOnnxAttribute, text("attribute '", name, "' of ", call.op),
                value == nullptr ? "missing" : attr_str(*value), "an integer");
  const int64_t out = *number;
  call.attrs.erase(name);
  return out;
}

}  // namespace

Status axes_to_input(Call& call, Emitter& emitter) {
  if (!call.attrs.has("axes")) return ok();
  NPU_LET(const Ints axes, take_ints(call, "axes"));
  if (!axes.empty()) call.set_input(1, emitter.ints("axes", axes));
  return ok();
}

Status split_sizes_to_input(Call& call, Emitter& emitter) {
  if (!call.attrs.has("split")) return ok();
  NPU_LET(const Ints sizes, take_ints(call, "split"));
  call.set_input(1, emitter.ints("split", sizes));
  return ok();
}

Status split_count(Call& call, Emitter& emitter) {
  if (call.input(1) != nullptr) return ok();
  const auto count = static_cast<int64_t>(call.outputs.size());
  call.attrs.set("num_outputs", count);
  // Only from opset 18 on may the last part be smaller.
  const TensorType* type = emitter.type_of(call.input(0));
  const AttrValue* axis = call.attrs.find("axis");
  const int64_t* given = axis != nullptr ? std::get_if<int64_t>(axis) : nullptr;
  if (type == nullptr || !type->shape.ranked() || (axis != nullptr && given == nullptr))
    return ok();
  const auto wrapped = wrap_axis(given != nullptr ? *given : 0, type->shape.rank());
  const auto length = wrapped ? type->shape[*wrapped].known() : std::nullopt;
  if (!length || count == 0 || *length % count == 0) return ok();
  return fail(ErrorId::kShapeMismatch, "Split cannot make equal parts", text(*length),
              text("a multiple of ", count, ", the number of outputs, up to opset 17"),
              "give the sizes of the parts, or export the model with opset 18");
}

Status slice_to_inputs(Call& call, Emitter& emitter) {
  NPU_LET(const Ints starts, take_ints(call, "starts"));
  NPU_LET(const Ints ends, take_ints(call, "ends"));
  call.set_input(1, emitter.ints("starts", starts));
  call.set_input(2, emitter.ints("ends", ends));
  if (!call.attrs.has("axes")) return ok();
  NPU_LET(const Ints axes, take_ints(call, "axes"));
  call.set_input(3, emitter.ints("axes", axes));
  return ok();
}

Status top_k_to_input(Call& call, Emitter& emitter) {
  NPU_LET(const int64_t k, take_int(call, "k", std::nullopt));
  call.set_input(1, emitter.ints("k", {k}));
  return ok();
}

Status dft_axis_to_input(Call& call, Emitter& emitter) {
  NPU_LET(const int64_t axis, take_int(call, "axis", 1));
  call.set_input(2, emitter.constant("axis", Tensor::of_ints({axis}, {})));
  return ok();
}

}  // namespace npugraph::onnx
