// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace npugraph {

/// Element type of a tensor; the rows of dtypes.inc. 4-bit types pack two elements a byte, the
/// first in the low half, as ONNX does.
enum class DType : uint8_t {
#define X(enumerator, name, bits, onnx) k##enumerator,
#include "npugraph/tensor/dtypes.inc"
#undef X
};

/// "float32", "int64", "bool", …: the names numpy and ONNX tools use.
std::string_view dtype_name(DType dtype) noexcept;
std::optional<DType> parse_dtype(std::string_view name) noexcept;

/// Number in ONNX's TensorProto.DataType, and back.
int32_t onnx_dtype(DType dtype) noexcept;
std::optional<DType> dtype_from_onnx(int32_t number) noexcept;

/// Size of an element in bits: 4, 8, 16, 32 or 64.
int64_t dtype_bits(DType dtype) noexcept;

bool is_float(DType dtype) noexcept;    // every floating point type
bool is_integer(DType dtype) noexcept;  // every integer type, bool not
bool is_signed(DType dtype) noexcept;   // floats and signed integers

}  // namespace npugraph
