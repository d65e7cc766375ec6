// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "npugraph/base/result.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph::python {

/// A Python array seen in place. Keeps the array's memory alive; destroyed with the GIL held.
class ArrayView {
 public:
  ArrayView() = default;
  ArrayView(TensorView view, std::shared_ptr<void> owner)
      : view_(std::move(view)), owner_(std::move(owner)) {}
  const TensorView& view() const noexcept { return view_; }

 private:
  TensorView view_;
  std::shared_ptr<void> owner_;  // a buffer, or a DLPack capsule
};

/// What an array is looked at for.
enum class Access : uint8_t { kRead, kWrite };

/// Sees `object` as the tensor `name` of type `type`, without copying: by the buffer protocol
/// (numpy, memoryview), DLPack (torch, jax) or __array_interface__. Raw bytes (a flat buffer of
/// uint8 for another dtype) are taken for a type whose dims are numbers if their count is right.
/// dtypes that numpy lacks are given as their bits: bfloat16 as uint16, float8 as uint8.
/// Dims are not compared here. Errors: kBadTensor (no array, dtype, byte count, read-only memory
/// for kWrite, memory of another device), kNotContiguous. Python exceptions of the object pass.
Result<ArrayView> view_array(const std::string& name, nanobind::handle object,
                             const TensorType& type, Access access);

/// A tuple of numbers and expressions; None for a shape whose rank is not known.
nanobind::object dims_object(const Shape& shape);

/// A numpy array of its own memory with the values of `view`; dtypes that numpy lacks as their
/// bits, 4-bit ones as flat packed uint8.
nanobind::object to_numpy(const TensorView& view);
/// The same without copying: the array shares the tensor's bytes.
nanobind::object to_numpy(const Tensor& tensor);

}  // namespace npugraph::python
