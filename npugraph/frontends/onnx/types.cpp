// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/types.h"

#include <cctype>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"

namespace npugraph::onnx {
namespace {

constexpr int kMaxRank = 64;
constexpr size_t kMaxSymbol = 64;

/// Letters, digits, '_' and '.', not beginning with a digit or '.'.
std::string as_symbol(std::string_view wanted) {
  std::string out;
  for (const char c : wanted.substr(0, kMaxSymbol))
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '_';
  const bool starts_well = !out.empty() && std::isalpha(static_cast<unsigned char>(out[0])) != 0;
  if (!starts_well) out.insert(0, out.empty() ? "dim" : "_");
  // Symbols that begin so belong to sizes which only running a node can tell.
  if (is_late_symbol(out)) out.insert(0, "_");
  return out;
}

std::string_view type_word(const TypeProto& type) {
  switch (type.value_case()) {
    case TypeProto::kSequenceType:
      return "a sequence";
    case TypeProto::kMapType:
      return "a map";
    case TypeProto::kOptionalType:
      return "an optional";
    case TypeProto::kSparseTensorType:
      return "a sparse tensor";
    case TypeProto::kOpaqueType:
      return "an opaque type";
    case TypeProto::kTensorType:
      return "a tensor";
    case TypeProto::VALUE_NOT_SET:
      break;
  }
  return "no type";
}

std::string_view unsupported_name(int32_t number) {
  switch (number) {
    case TensorProto::STRING:
      return "string";
    case TensorProto::COMPLEX64:
      return "complex64";
    case TensorProto::COMPLEX128:
      return "complex128";
    case TensorProto::FLOAT4E2M1:
      return "float4e2m1";
    default:
      return {};
  }
}

Status check_shape(const TensorShapeProto& shape) {
  if (shape.dim_size() > kMaxRank)
    return fail(ErrorId::kOnnxStructure, "a declared shape has too many dimensions",
                text(shape.dim_size()), text("at most ", kMaxRank));
  for (int axis = 0; axis < shape.dim_size(); ++axis) {
    const auto& dim = shape.dim(axis);
    if (dim.has_dim_value() && dim.dim_value() < 0)
      return fail(ErrorId::kOnnxStructure,
                  text("dimension ", axis, " of a declared shape is negative"),
                  text(dim.dim_value()), "0 or more, or a name (dim_param)",
                  "give a free dimension a dim_param and export the model again");
  }
  return ok();
}

}  // namespace

Result<DType> read_dtype(int32_t number) {
  if (const auto dtype = dtype_from_onnx(number)) return *dtype;
  if (!TensorProto_DataType_IsValid(number) || number == TensorProto::UNDEFINED)
    return fail(ErrorId::kOnnxTensor, "no such data type", text(number),
                "a number of TensorProto.DataType");
  const std::string_view name = unsupported_name(number);
  return fail(ErrorId::kOnnxType, "the data type is not supported",
              name.empty() ? text("data type ", number) : std::string(name),
              "numbers of 4 to 64 bits or booleans");
}

std::string Symbols::unused(std::string_view wanted) {
  std::string name = as_symbol(wanted);
  if (used_.insert(name).second) return name;
  while (true) {
    std::string next = text(name, "_", ++next_suffix_[name]);
    if (used_.insert(next).second) return next;
  }
}

Dim Symbols::named(const std::string& dim_param) {
  const auto hit = by_param_.find(dim_param);
  if (hit != by_param_.end()) return Dim::symbol(hit->second);
  std::string name = unused(dim_param);
  by_param_.emplace(dim_param, name);
  return Dim::symbol(name);
}

Dim Symbols::fresh(std::string_view value, int64_t axis) {
  return Dim::symbol(unused(text(value.substr(0, kMaxSymbol / 2), "_d", axis)));
}

Result<TensorType> read_type(const ValueInfoProto& info, Symbols& symbols) {
  const TypeProto& type = info.type();
  if (!info.has_type() || type.value_case() == TypeProto::VALUE_NOT_SET)
    return fail(ErrorId::kOnnxStructure, "a graph input has no type", shown(info.name()),
                "a tensor type");
  NPU_TRY(check_declared(info));
  TensorType out;
  NPU_LET(out.dtype, read_dtype(type.tensor_type().elem_type()));
  if (!type.tensor_type().has_shape()) {
    out.shape = Shape::unranked();
    return out;
  }
  std::vector<Dim> dims;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    const auto axis = static_cast<int64_t>(dims.size());
    if (dim.has_dim_value()) {
      dims.emplace_back(dim.dim_value());
    } else if (!dim.dim_param().empty()) {
      dims.push_back(symbols.named(dim.dim_param()));
    } else {
      dims.push_back(symbols.fresh(info.name(), axis));
    }
  }
  out.shape = Shape(std::move(dims));
  return out;
}

Result<std::optional<DType>> check_declared(const ValueInfoProto& info) {
  const TypeProto& type = info.type();
  if (!info.has_type() || type.value_case() == TypeProto::VALUE_NOT_SET)
    return std::optional<DType>();
  if (!type.has_tensor_type())
    return fail(ErrorId::kOnnxType, text("value ", shown(info.name()), " is not a tensor"),
                std::string(type_word(type)), "a tensor");
  const auto& tensor = type.tensor_type();
  if (tensor.has_shape())
    NPU_TRY_AT(text("value ", shown(info.name())), check_shape(tensor.shape()));
  if (tensor.elem_type() == TensorProto::UNDEFINED) return std::optional<DType>();
  auto dtype = read_dtype(tensor.elem_type());
  if (!dtype) return at(text("value ", shown(info.name())), std::move(dtype).error());
  return std::optional<DType>(*dtype);
}

}  // namespace npugraph::onnx
