// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tensor/shape.h"

namespace npugraph {

/// A dense, row-major tensor that somebody else owns; valid for the call it is given to. The bytes
/// are constant for inputs by contract of the callee, not by type.
struct TensorView {
  DType dtype = DType::kF32;
  Dims dims;
  std::byte* data = nullptr;  // null only for an absent optional input, or when there are no bytes

  bool absent() const noexcept { return data == nullptr && elements() != 0; }
  int64_t rank() const noexcept { return static_cast<int64_t>(dims.size()); }
  /// Product of dims (which the maker of the view has checked).
  int64_t elements() const noexcept {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    return count;
  }
  int64_t bytes() const noexcept { return (elements() * dtype_bits(dtype) + 7) / 8; }

  /// The data as T; the caller has checked the dtype.
  template <class T>
  std::span<T> as() const noexcept {
    return {reinterpret_cast<T*>(data), static_cast<size_t>(elements())};
  }

  /// Element `index` in row-major order as double, any dtype (64-bit integers may round).
  double load(int64_t index) const noexcept;
  /// Rounds to the dtype: half types and floats to nearest even, integers toward zero and wrapped
  /// as a C cast of an in-range value (out of range: saturated), bool to value != 0.
  void store(int64_t index, double value) const noexcept;
  /// Integers exactly; floats are truncated.
  int64_t load_int(int64_t index) const noexcept;
  /// Integers wrap to the dtype's width, as two's complement does.
  void store_int(int64_t index, int64_t value) const noexcept;
};

using Views = std::span<const TensorView>;

/// An absent optional input.
inline TensorView no_tensor() { return {.dtype = DType::kF32, .dims = {1}, .data = nullptr}; }

/// A dense tensor that owns, or shares ownership of, its bytes. Copying shares the bytes: constants
/// travel through graphs, clones and threads without being duplicated, so bytes that are shared
/// must not be written (mutable_view() NPU_CHECKs that nobody else holds them).
class Tensor {
 public:
  Tensor() = default;  // float32 of 0 elements

  /// Zero-filled, 64-byte aligned. Errors: kShapeMismatch, kSizeOverflow, kOutOfMemory.
  static Result<Tensor> zeros(DType dtype, Dims dims);
  /// A copy of `bytes`, which must be exactly the dense size. Errors: kShapeMismatch and as zeros.
  static Result<Tensor> copy(DType dtype, Dims dims, std::span<const std::byte> bytes);
  /// Shares bytes that `owner` keeps alive (a mapped file): exactly the dense size, aligned for the
  /// element. Errors: kShapeMismatch.
  static Result<Tensor> share(DType dtype, Dims dims, std::shared_ptr<const void> owner,
                              std::span<const std::byte> bytes);
  /// Small helpers for shapes and tests; NPU_CHECK on sizes.
  static Tensor of_ints(const std::vector<int64_t>& values, Dims dims);
  static Tensor of_ints(const std::vector<int64_t>& values);  // 1-D
  static Tensor of_floats(const std::vector<float>& values, Dims dims);
  static Tensor scalar(DType dtype, double value);

  DType dtype() const noexcept { return dtype_; }
  const Dims& dims() const noexcept { return dims_; }
  int64_t elements() const noexcept { return view().elements(); }
  TensorType type() const { return {dtype_, Shape(dims_)}; }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// Not to be written through.
  TensorView view() const noexcept;
  TensorView mutable_view() noexcept;
  /// The same bytes under other dims of the same element count. Errors: kShapeMismatch.
  Result<Tensor> reshaped(Dims dims) const;

  template <class T>
  std::span<const T> as() const noexcept {
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<size_t>(elements())};
  }

 private:
  DType dtype_ = DType::kF32;
  Dims dims_ = {0};
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

}  // namespace npugraph
