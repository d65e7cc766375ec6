// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/op.h"

#include <algorithm>
#include <cctype>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

std::string range_str(const AttrSchema& attr) {
  constexpr auto kLow = std::numeric_limits<int64_t>::min();
  constexpr auto kHigh = std::numeric_limits<int64_t>::max();
  if (attr.min == kLow && attr.max == kHigh) return "any integer";
  if (attr.max == kHigh) return text(attr.min, " or more");
  if (attr.min == kLow) return text(attr.max, " or less");
  return text(attr.min, "..", attr.max);
}

Error bad_attr(const OpSchema& schema, const AttrSchema& attr, const AttrValue& value,
               std::string expected) {
  return fail(ErrorId::kBadAttribute, text("attribute '", attr.name, "' of ", schema.name),
              attr_str(value), std::move(expected));
}

Status check_attr(const OpSchema& schema, const AttrSchema& attr, const AttrValue& value) {
  if (kind_of(value) != attr.kind)
    return fail(ErrorId::kBadAttribute, text("attribute '", attr.name, "' of ", schema.name),
                text(attr_kind_name(kind_of(value)), " ", attr_str(value)),
                std::string(attr_kind_name(attr.kind)));
  const auto outside = [&](int64_t x) { return x < attr.min || x > attr.max; };
  if (const auto* number = std::get_if<int64_t>(&value); number != nullptr && outside(*number))
    return bad_attr(schema, attr, value, range_str(attr));
  if (const auto* list = std::get_if<Ints>(&value);
      list != nullptr && std::any_of(list->begin(), list->end(), outside))
    return bad_attr(schema, attr, value, text("each ", range_str(attr)));
  const auto* word = std::get_if<std::string>(&value);
  if (word != nullptr && !attr.choices.empty() &&
      std::find(attr.choices.begin(), attr.choices.end(), *word) == attr.choices.end())
    return bad_attr(schema, attr, value, join(attr.choices, " | "));
  return ok();
}

/// The schema row of input `index`: the variadic one stands for all from its place on.
const InputSchema& input_row(const OpSchema& schema, size_t index) {
  return schema.inputs[std::min(index, schema.inputs.size() - 1)];
}

}  // namespace

std::string DTypeSet::str() const {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(DType::kF8E5M2FNUZ); ++i)
    if (has(static_cast<DType>(i))) names.push_back(dtype_name(static_cast<DType>(i)));
  return join(names);
}

std::optional<std::vector<Dim>> InferInput::ints() const {
  if (content != nullptr) return *content;
  if (constant == nullptr || !(is_integer(constant->dtype()) || constant->dtype() == DType::kBool))
    return std::nullopt;
  const int64_t count = constant->elements();
  if (count > kMaxContent) return std::nullopt;
  std::vector<Dim> out;
  out.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out.emplace_back(constant->view().load_int(i));
  return out;
}

Dim InferContext::late_dim(int64_t index) const {
  std::string name = text(kLatePrefix, node_name, ".", index);
  // Symbols are words: other characters of a node's name become '_'.
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '_';
  return Dim::symbol(name);
}

int64_t OpSchema::min_inputs() const {
  int64_t count = 0;
  for (const InputSchema& input : inputs) {
    if (input.arity == Arity::kOptional) continue;
    count += input.arity == Arity::kVariadic ? input.min_count : 1;
  }
  return count;
}

int64_t OpSchema::max_inputs() const {
  if (!inputs.empty() && inputs.back().arity == Arity::kVariadic)
    return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(inputs.size());
}

int64_t OpSchema::min_outputs() const {
  return std::count_if(outputs.begin(), outputs.end(),
                       [](const OutputSchema& output) { return output.arity == Arity::kOne; });
}

int64_t OpSchema::max_outputs() const {
  if (!outputs.empty() && outputs.back().arity == Arity::kVariadic)
    return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(outputs.size());
}

const AttrSchema* OpSchema::find_attr(std::string_view attr) const {
  for (const AttrSchema& row : attrs)
    if (row.name == attr) return &row;
  return nullptr;
}

Status complete_attrs(const OpSchema& schema, Attrs& attrs) {
  for (const auto& [name, value] : attrs) {
    const AttrSchema* row = schema.find_attr(name);
    if (row == nullptr) {
      std::vector<std::string_view> names;
      for (const AttrSchema& known : schema.attrs) names.push_back(known.name);
      return fail(ErrorId::kBadAttribute, text(schema.name, " has no such attribute"),
                  text("'", name, "'"), names.empty() ? "none" : join(names));
    }
    NPU_TRY(check_attr(schema, *row, value));
  }
  for (const AttrSchema& row : schema.attrs) {
    if (attrs.has(row.name)) continue;
    if (row.required)
      return fail(ErrorId::kBadAttribute, text("attribute '", row.name, "' of ", schema.name),
                  "missing", text(attr_kind_name(row.kind), ", required"));
    if (row.fallback) attrs.set(std::string(row.name), *row.fallback);
  }
  return ok();
}

Status check_inputs(const OpSchema& schema, std::span<const InferInput> in, int64_t output_count) {
  const auto count = static_cast<int64_t>(in.size());
  if (count < schema.min_inputs() || count > schema.max_inputs())
    return fail(ErrorId::kBadArity, text("number of inputs of ", schema.name), text(count),
                schema.max_inputs() == std::numeric_limits<int64_t>::max()
                    ? text(schema.min_inputs(), " or more")
                    : text(schema.min_inputs(), "..", schema.max_inputs()));
  if (output_count < schema.min_outputs() || output_count > schema.max_outputs())
    return fail(ErrorId::kBadArity, text("number of outputs of ", schema.name), text(output_count),
                text(schema.min_outputs(), " or more, as the operator has them"));
  std::vector<std::pair<std::string_view, DType>> groups;
  for (size_t i = 0; i < in.size(); ++i) {
    const InputSchema& row = input_row(schema, i);
    if (!in[i].present()) {
      if (row.arity == Arity::kOptional) continue;
      return fail(ErrorId::kBadArity, text("input '", row.name, "' of ", schema.name), "absent",
                  "a tensor");
    }
    const DType dtype = in[i].type->dtype;
    if (!row.dtypes.has(dtype))
      return fail(ErrorId::kDTypeMismatch, text("dtype of input '", row.name, "' of ", schema.name),
                  std::string(dtype_name(dtype)), row.dtypes.str());
    if (row.group.empty()) continue;
    const auto hit = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& group) { return group.first == row.group; });
    if (hit == groups.end()) {
      groups.emplace_back(row.group, dtype);
    } else if (hit->second != dtype) {
      return fail(ErrorId::kDTypeMismatch, text("dtype of input '", row.name, "' of ", schema.name),
                  std::string(dtype_name(dtype)),
                  text(dtype_name(hit->second), ", as the inputs before it"));
    }
  }
  return ok();
}

Result<std::vector<InferOutput>> infer_outputs(const OpSchema& schema,
                                               const InferContext& context) {
  NPU_TRY(check_inputs(schema, context.in, context.output_count));
  NPU_CHECK(schema.infer != nullptr, "infer_outputs() of a control-flow operator");
  const bool ranked = std::all_of(context.in.begin(), context.in.end(), [](const InferInput& in) {
    return !in.present() || in.type->shape.ranked();
  });
  if (ranked) return schema.infer(context);

  // The dtype does not depend on shapes: ask with stand-ins, keep the dtype where that works, and
  // fall back to the first input's dtype.
  std::vector<InferOutput> outputs;
  for (int64_t i = 0; i < context.output_count; ++i) {
    DType dtype = context.type(0).dtype;
    if (const AttrSchema* to = schema.find_attr("to"); to != nullptr && to->kind == AttrKind::kInt)
      dtype = dtype_from_onnx(static_cast<int32_t>(context.attrs.i64("to"))).value_or(dtype);
    outputs.push_back({{dtype, Shape::unranked()}, std::nullopt});
  }
  std::vector<TensorType> scalars(context.in.size());
  std::vector<InferInput> stand_ins(context.in.begin(), context.in.end());
  for (int64_t rank = 0; rank <= 4; ++rank) {
    for (size_t i = 0; i < stand_ins.size(); ++i) {
      if (!stand_ins[i].present() || context.in[i].type->shape.ranked()) continue;
      scalars[i] = {context.in[i].type->dtype, Shape(Dims(static_cast<size_t>(rank), 1))};
      stand_ins[i].type = &scalars[i];
    }
    const auto trial =
        schema.infer({stand_ins, context.attrs, context.output_count, context.node_name});
    if (!trial) continue;
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].type.dtype = (*trial)[i].type.dtype;
    break;
  }
  return outputs;
}

Result<std::vector<TensorType>> infer_concrete(const OpSchema& schema, const Attrs& attrs,
                                               std::span<const TensorView> in,
                                               int64_t output_count) {
  std::vector<TensorType> in_types(in.size());
  std::vector<Tensor> constants(in.size());
  std::vector<InferInput> inputs(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].absent()) continue;
    in_types[i] = {in[i].dtype, Shape(in[i].dims)};
    NPU_LET(constants[i], Tensor::share(in[i].dtype, in[i].dims, nullptr,
                                        {in[i].data, static_cast<size_t>(in[i].bytes())}));
    inputs[i] = {&in_types[i], nullptr, &constants[i]};
  }
  NPU_LET(auto outputs, infer_outputs(schema, {inputs, attrs, output_count, schema.name}));
  std::vector<TensorType> types;
  for (InferOutput& output : outputs) {
    if (!output.type.shape.is_static())
      return fail(ErrorId::kUnknownDim, text("output size of ", schema.name, " is unknown"),
                  output.type.str(), "a size that the inputs decide");
    types.push_back(std::move(output.type));
  }
  return types;
}

Work work_of(const OpSchema& schema, std::span<const TensorType> in,
             std::span<const TensorType> out, const Attrs& attrs) {
  if (schema.work != nullptr) return schema.work(in, out, attrs);
  Work work;
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  for (const TensorType& type : out) {
    work.bytes += static_cast<double>(type.bytes().value());
    work.flops += static_cast<double>(type.shape.elements().value());
  }
  return work;
}

}  // namespace npugraph
