// SPDX-License-Identifier: Apache-2.0
// Source: the comments of TensorProto and SparseTensorProto in onnx.proto.
#include "npugraph/frontends/onnx/tensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"
#include "npugraph/frontends/onnx/types.h"

namespace npugraph::onnx {
namespace {

constexpr int kMaxRank = 64;

Error bad(std::string what, std::string found, std::string expected) {
  return fail(ErrorId::kOnnxTensor, std::move(what), std::move(found), std::move(expected));
}

template <class Field>
Result<Dims> read_dims(const Field& field) {
  if (field.size() > kMaxRank)
    return bad("a tensor has too many dimensions", text(field.size()), text("at most ", kMaxRank));
  Dims dims(field.begin(), field.end());
  if (std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; }))
    return bad("a dimension is negative", dims_str(dims), "dimensions of 0 or more");
  NPU_TRY(element_count(dims));
  return dims;
}

/// A tensor from one of the typed fields, whose entries hold an element each; the field is emptied.
template <class T, class Field>
Result<Tensor> from_field(DType dtype, Dims dims, Field& field, std::string_view field_name) {
  NPU_LET(const int64_t count, element_count(dims));
  if (count != field.size())
    return bad(text(field_name, " does not fill the tensor"), text(field.size(), " elements"),
               text(count, " for ", dtype_name(dtype), " ", dims_str(dims)));
  NPU_LET(Tensor tensor, Tensor::zeros(dtype, std::move(dims)));
  const std::span<T> out = tensor.mutable_view().as<T>();
  std::transform(field.begin(), field.end(), out.begin(),
                 [](auto value) { return static_cast<T>(value); });
  Field().Swap(&field);
  return tensor;
}

/// 4-bit elements: an entry of int32_data is a byte of two.
Result<Tensor> from_nibbles(DType dtype, Dims dims, TensorProto& proto) {
  NPU_LET(const int64_t length_bytes, dense_bytes(dtype, dims));
  if (length_bytes != proto.int32_data_size())
    return bad("int32_data does not fill the tensor", text(proto.int32_data_size(), " entries"),
               text(length_bytes, " for ", dtype_name(dtype), " ", dims_str(dims)));
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<size_t>(length_bytes));
  for (const int32_t entry : proto.int32_data()) bytes.push_back(static_cast<std::byte>(entry));
  proto.clear_int32_data();
  return Tensor::copy(dtype, std::move(dims), bytes);
}

Result<Tensor> from_int32_data(DType dtype, Dims dims, TensorProto& proto) {
  auto& field = *proto.mutable_int32_data();
  if (dtype_bits(dtype) == 4) return from_nibbles(dtype, std::move(dims), proto);
  if (dtype == DType::kBool) {
    for (int32_t& entry : field) entry = entry != 0 ? 1 : 0;
  }
  switch (dtype_bits(dtype)) {
    case 8:
      return from_field<uint8_t>(dtype, std::move(dims), field, "int32_data");
    case 16:
      return from_field<uint16_t>(dtype, std::move(dims), field, "int32_data");
    default:
      return from_field<int32_t>(dtype, std::move(dims), field, "int32_data");
  }
}

Result<Tensor> from_typed_data(DType dtype, Dims dims, TensorProto& proto) {
  switch (dtype) {
    case DType::kF32:
      return from_field<float>(dtype, std::move(dims), *proto.mutable_float_data(), "float_data");
    case DType::kF64:
      return from_field<double>(dtype, std::move(dims), *proto.mutable_double_data(),
                                "double_data");
    case DType::kI64:
      return from_field<int64_t>(dtype, std::move(dims), *proto.mutable_int64_data(), "int64_data");
    case DType::kU32:
      return from_field<uint32_t>(dtype, std::move(dims), *proto.mutable_uint64_data(),
                                  "uint64_data");
    case DType::kU64:
      return from_field<uint64_t>(dtype, std::move(dims), *proto.mutable_uint64_data(),
                                  "uint64_data");
    default:
      return from_int32_data(dtype, std::move(dims), proto);
  }
}

Result<Tensor> from_raw_data(DType dtype, Dims dims, TensorProto& proto) {
  NPU_LET(const int64_t wanted, dense_bytes(dtype, dims));
  if (wanted != static_cast<int64_t>(proto.raw_data().size()))
    return bad("raw_data does not fill the tensor", text(proto.raw_data().size(), " bytes"),
               text(wanted, " for ", dtype_name(dtype), " ", dims_str(dims)));
  // The heap block of a string is aligned for any element, and a string's inner buffer for 8 bytes.
  const std::shared_ptr<std::string> owner(proto.release_raw_data());
  if (!owner) return Tensor::zeros(dtype, std::move(dims));
  return Tensor::share(dtype, std::move(dims), owner, bytes_of(*owner));
}

/// A number of external_data. Errors: kOnnxExternalData.
Result<int64_t> read_number(const std::string& key, const std::string& value) {
  int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || number < 0)
    return fail(ErrorId::kOnnxExternalData, text(key, " of external data is not a number"),
                shown(value), "0 or more");
  return number;
}

struct Place {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length_bytes;
};

Result<Place> read_place(const TensorProto& proto) {
  Place place;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") {
      place.location = entry.value();
    } else if (entry.key() == "offset") {
      NPU_LET(place.offset, read_number(entry.key(), entry.value()));
    } else if (entry.key() == "length") {
      NPU_LET(place.length_bytes, read_number(entry.key(), entry.value()));
    }
  }
  return place;
}

}  // namespace

Result<Tensor> TensorReader::take_external(const TensorProto& proto, DType dtype, Dims dims) {
  NPU_LET(const Place place, read_place(proto));
  NPU_LET(const int64_t wanted, dense_bytes(dtype, dims));
  NPU_LET(const MappedBytes file, external_.open(place.location));
  const auto available = static_cast<int64_t>(file.bytes.size());
  if (place.offset > available || wanted > available - place.offset)
    return fail(ErrorId::kOnnxExternalData,
                text("external data ", shown(place.location), " is too short"),
                text(available, " bytes"), text(wanted, " bytes from byte ", place.offset));
  if (place.length_bytes && *place.length_bytes != wanted)
    return fail(ErrorId::kOnnxExternalData, "length of external data does not fit the tensor",
                text(*place.length_bytes, " bytes"),
                text(wanted, " for ", dtype_name(dtype), " ", dims_str(dims)));
  const auto bytes =
      file.bytes.subspan(static_cast<size_t>(place.offset), static_cast<size_t>(wanted));
  const auto element_bytes = static_cast<uintptr_t>(std::max<int64_t>(dtype_bits(dtype) / 8, 1));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % element_bytes != 0)
    return Tensor::copy(dtype, std::move(dims), bytes);
  return Tensor::share(dtype, std::move(dims), file.owner, bytes);
}

Result<Tensor> TensorReader::take(TensorProto& proto) {
  NPU_LET(const DType dtype, read_dtype(proto.data_type()));
  NPU_LET(Dims dims, read_dims(proto.dims()));
  if (proto.has_segment())
    return bad("a tensor in segments is not supported", "a segment", "one whole tensor");
  if (proto.data_location() == TensorProto::EXTERNAL)
    return take_external(proto, dtype, std::move(dims));
  if (proto.has_raw_data()) return from_raw_data(dtype, std::move(dims), proto);
  return from_typed_data(dtype, std::move(dims), proto);
}

namespace {

/// Row-major position of entry `entry` of the indices, which are positions or coordinates.
Result<int64_t> position_of(const Tensor& indices, int64_t entry, const Dims& dims, int64_t count) {
  const TensorView view = indices.view();
  if (view.rank() == 1) {
    const int64_t position = view.load_int(entry);
    if (position < 0 || position >= count)
      return bad("an index of a sparse tensor points outside it", text(position),
                 text("0..", count - 1));
    return position;
  }
  int64_t position = 0;
  const auto rank = static_cast<int64_t>(dims.size());
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t index = view.load_int(entry * rank + axis);
    const int64_t dim = dims[static_cast<size_t>(axis)];
    if (index < 0 || index >= dim)
      return bad("an index of a sparse tensor points outside it", text(index),
                 text("0..", dim - 1));
    position = position * dim + index;
  }
  return position;
}

void copy_element(const Tensor& from, int64_t from_index, TensorView to, int64_t to_index) {
  const int64_t bits = dtype_bits(from.dtype());
  if (bits == 4) {
    to.store_int(to_index, from.view().load_int(from_index));
    return;
  }
  const int64_t width = bits / 8;
  std::memcpy(to.data + to_index * width, from.bytes().data() + from_index * width,
              static_cast<size_t>(width));
}

}  // namespace

Result<Tensor> TensorReader::take_sparse(SparseTensorProto& proto) {
  constexpr int64_t kAllowance_bytes = int64_t{64} << 20;
  NPU_LET(const Dims dims, read_dims(proto.dims()));
  NPU_LET(const Tensor values, take(*proto.mutable_values()));
  NPU_LET(const Tensor indices, take(*proto.mutable_indices()));
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t count = values.elements();
  const bool linear = indices.dims() == Dims{count};
  const bool coordinates = indices.dims() == Dims{count, rank};
  if (values.dims().size() != 1 || indices.dtype() != DType::kI64 || !(linear || coordinates))
    return bad("indices of a sparse tensor do not fit its values",
               text(indices.type(), " for values ", values.type()),
               text("int64[", count, "] or int64[", count, ", ", rank, "]"));
  NPU_LET(const int64_t dense, dense_bytes(values.dtype(), dims));
  if (dense > kAllowance_bytes + 4 * file_bytes_)
    return bad("a sparse tensor is too large to be written out", text(dense, " bytes"),
               text("at most ", kAllowance_bytes + 4 * file_bytes_));
  NPU_LET(Tensor tensor, Tensor::zeros(values.dtype(), dims));
  const TensorView out = tensor.mutable_view();
  for (int64_t entry = 0; entry < count; ++entry) {
    NPU_LET(const int64_t position, position_of(indices, entry, dims, out.elements()));
    copy_element(values, entry, out, position);
  }
  return tensor;
}

}  // namespace npugraph::onnx
