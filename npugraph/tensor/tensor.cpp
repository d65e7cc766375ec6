// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tensor/tensor.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/tensor/half.h"

namespace npugraph {
namespace {

constexpr int64_t kAlign_bytes = 64;  // a cache line, and one AVX-512 register

template <class T>
T read(const std::byte* data, int64_t index) noexcept {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
void write(std::byte* data, int64_t index, T value) noexcept {
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

int64_t read_nibble(const std::byte* data, int64_t index, bool is_signed) noexcept {
  const auto pair = static_cast<int64_t>(data[index / 2]);
  const int64_t nibble = index % 2 == 0 ? pair & 15 : pair >> 4;
  return is_signed && nibble >= 8 ? nibble - 16 : nibble;
}

void write_nibble(std::byte* data, int64_t index, int64_t value) noexcept {
  const auto nibble = static_cast<unsigned>(value & 15);
  const auto pair = static_cast<unsigned>(data[index / 2]);
  data[index / 2] = static_cast<std::byte>(index % 2 == 0 ? (pair & 0xf0u) | nibble
                                                          : (pair & 0x0fu) | (nibble << 4));
}

/// Truncates toward zero; NaN gives 0; outside the range of T saturates.
template <class T>
T to_integer(double value) noexcept {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<T>(value);
}

}  // namespace

double TensorView::load(int64_t index) const noexcept {
  switch (dtype) {
    case DType::kF32:
      return static_cast<double>(read<float>(data, index));
    case DType::kF64:
      return read<double>(data, index);
    case DType::kF16:
      return static_cast<double>(f16_to_f32(read<uint16_t>(data, index)));
    case DType::kBF16:
      return static_cast<double>(bf16_to_f32(read<uint16_t>(data, index)));
    case DType::kF8E4M3FN:
      return static_cast<double>(f8_to_f32(read<uint8_t>(data, index), kF8E4M3FN));
    case DType::kF8E4M3FNUZ:
      return static_cast<double>(f8_to_f32(read<uint8_t>(data, index), kF8E4M3FNUZ));
    case DType::kF8E5M2:
      return static_cast<double>(f8_to_f32(read<uint8_t>(data, index), kF8E5M2));
    case DType::kF8E5M2FNUZ:
      return static_cast<double>(f8_to_f32(read<uint8_t>(data, index), kF8E5M2FNUZ));
    case DType::kU64:
      return static_cast<double>(read<uint64_t>(data, index));
    default:
      return static_cast<double>(load_int(index));
  }
}

int64_t TensorView::load_int(int64_t index) const noexcept {
  switch (dtype) {
    case DType::kBool:
      return read<uint8_t>(data, index) != 0;
    case DType::kU8:
      return read<uint8_t>(data, index);
    case DType::kI8:
      return read<int8_t>(data, index);
    case DType::kU16:
      return read<uint16_t>(data, index);
    case DType::kI16:
      return read<int16_t>(data, index);
    case DType::kU32:
      return read<uint32_t>(data, index);
    case DType::kI32:
      return read<int32_t>(data, index);
    case DType::kU64:
    case DType::kI64:
      return read<int64_t>(data, index);
    case DType::kU4:
      return read_nibble(data, index, false);
    case DType::kI4:
      return read_nibble(data, index, true);
    default:
      return to_integer<int64_t>(load(index));
  }
}

void TensorView::store(int64_t index, double value) const noexcept {
  switch (dtype) {
    case DType::kF32:
      return write(data, index, static_cast<float>(value));
    case DType::kF64:
      return write(data, index, value);
    case DType::kF16:
      return write(data, index, f64_to_f16(value));
    case DType::kBF16:
      return write(data, index, f64_to_bf16(value));
    case DType::kF8E4M3FN:
      return write(data, index, f64_to_f8(value, kF8E4M3FN));
    case DType::kF8E4M3FNUZ:
      return write(data, index, f64_to_f8(value, kF8E4M3FNUZ));
    case DType::kF8E5M2:
      return write(data, index, f64_to_f8(value, kF8E5M2));
    case DType::kF8E5M2FNUZ:
      return write(data, index, f64_to_f8(value, kF8E5M2FNUZ));
    case DType::kBool:
      return write(data, index, static_cast<uint8_t>(value != 0));
    case DType::kU8:
      return write(data, index, to_integer<uint8_t>(value));
    case DType::kI8:
      return write(data, index, to_integer<int8_t>(value));
    case DType::kU16:
      return write(data, index, to_integer<uint16_t>(value));
    case DType::kI16:
      return write(data, index, to_integer<int16_t>(value));
    case DType::kU32:
      return write(data, index, to_integer<uint32_t>(value));
    case DType::kI32:
      return write(data, index, to_integer<int32_t>(value));
    case DType::kU64:
      return write(data, index, to_integer<uint64_t>(value));
    case DType::kI64:
      return write(data, index, to_integer<int64_t>(value));
    case DType::kU4:
      return write_nibble(data, index, to_integer<int64_t>(std::fmin(std::fmax(value, 0), 15)));
    case DType::kI4:
      return write_nibble(data, index, to_integer<int64_t>(std::fmin(std::fmax(value, -8), 7)));
  }
}

void TensorView::store_int(int64_t index, int64_t value) const noexcept {
  switch (dtype) {
    case DType::kBool:
      return write(data, index, static_cast<uint8_t>(value != 0));
    case DType::kU8:
    case DType::kI8:
      return write(data, index, static_cast<uint8_t>(value));
    case DType::kU16:
    case DType::kI16:
      return write(data, index, static_cast<uint16_t>(value));
    case DType::kU32:
    case DType::kI32:
      return write(data, index, static_cast<uint32_t>(value));
    case DType::kU64:
    case DType::kI64:
      return write(data, index, value);
    case DType::kU4:
    case DType::kI4:
      return write_nibble(data, index, value);
    default:
      return store(index, static_cast<double>(value));
  }
}

Result<Tensor> Tensor::zeros(DType dtype, Dims dims) {
  NPU_LET(const int64_t length_bytes, dense_bytes(dtype, dims));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.dims_ = std::move(dims);
  if (length_bytes == 0) return tensor;
  if (length_bytes > std::numeric_limits<int64_t>::max() - kAlign_bytes)
    return fail(ErrorId::kOutOfMemory, "a tensor is too large", text(length_bytes, " bytes"));
  const auto padded_bytes = static_cast<size_t>(round_up(length_bytes, kAlign_bytes));
  void* data = std::aligned_alloc(kAlign_bytes, padded_bytes);
  if (data == nullptr)
    return fail(ErrorId::kOutOfMemory, "cannot allocate a tensor", text(length_bytes, " bytes"));
  tensor.owner_ = std::shared_ptr<const void>(data, [](const void* p) {
    std::free(const_cast<void*>(p));  // NOLINT: the matching release of aligned_alloc
  });
  std::memset(data, 0, padded_bytes);
  tensor.bytes_ = {static_cast<const std::byte*>(data), static_cast<size_t>(length_bytes)};
  return tensor;
}

namespace {

Status check_length(DType dtype, const Dims& dims, std::span<const std::byte> bytes) {
  NPU_LET(const int64_t wanted, dense_bytes(dtype, dims));
  if (wanted != static_cast<int64_t>(bytes.size()))
    return fail(ErrorId::kShapeMismatch, "the data does not have the tensor's size",
                text(bytes.size(), " bytes"),
                text(wanted, " bytes for ", dtype_name(dtype), " ", dims_str(dims)));
  return ok();
}

}  // namespace

Result<Tensor> Tensor::copy(DType dtype, Dims dims, std::span<const std::byte> bytes) {
  NPU_TRY(check_length(dtype, dims, bytes));
  NPU_LET(Tensor tensor, zeros(dtype, std::move(dims)));
  if (!bytes.empty()) std::memcpy(tensor.mutable_view().data, bytes.data(), bytes.size());
  return tensor;
}

Result<Tensor> Tensor::share(DType dtype, Dims dims, std::shared_ptr<const void> owner,
                             std::span<const std::byte> bytes) {
  NPU_TRY(check_length(dtype, dims, bytes));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.dims_ = std::move(dims);
  tensor.owner_ = std::move(owner);
  tensor.bytes_ = bytes;
  return tensor;
}

Tensor Tensor::of_ints(const std::vector<int64_t>& values, Dims dims) {
  auto tensor = copy(DType::kI64, std::move(dims), std::as_bytes(std::span(values)));
  NPU_CHECK(tensor.has_value(), "of_ints: values do not fill dims");
  return *std::move(tensor);
}

Tensor Tensor::of_ints(const std::vector<int64_t>& values) {
  return of_ints(values, {static_cast<int64_t>(values.size())});
}

Tensor Tensor::of_floats(const std::vector<float>& values, Dims dims) {
  auto tensor = copy(DType::kF32, std::move(dims), std::as_bytes(std::span(values)));
  NPU_CHECK(tensor.has_value(), "of_floats: values do not fill dims");
  return *std::move(tensor);
}

Tensor Tensor::scalar(DType dtype, double value) {
  auto tensor = zeros(dtype, {});
  NPU_CHECK(tensor.has_value(), "scalar: out of memory");
  tensor->mutable_view().store(0, value);
  return *std::move(tensor);
}

TensorView Tensor::view() const noexcept {
  return {dtype_, dims_, const_cast<std::byte*>(bytes_.data())};  // NOLINT: see TensorView
}

TensorView Tensor::mutable_view() noexcept {
  NPU_CHECK(owner_.use_count() <= 1, "writing to a tensor whose bytes are shared");
  return view();
}

Result<Tensor> Tensor::reshaped(Dims dims) const {
  NPU_TRY(check_length(dtype_, dims, bytes_));
  Tensor tensor = *this;
  tensor.dims_ = std::move(dims);
  return tensor;
}

}  // namespace npugraph
