// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/tensor/convert.h"

#include <bit>
#include <cmath>

namespace npugraph::ops {
namespace {

/// The double nearest toward zero whose last bit is set when anything was cut off: rounding it once
/// more, to a shorter float, gives what rounding the integer itself would.
double round_to_odd(uint64_t magnitude) {
  const int excess = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (excess <= 0) return static_cast<double>(magnitude);
  const uint64_t kept = magnitude >> excess;
  const bool cut = (kept << excess) != magnitude;
  return std::ldexp(static_cast<double>(cut ? kept | 1u : kept), excess);
}

void store_integer(const TensorView& to, int64_t index, int64_t value, bool is_signed_value) {
  const bool negative = is_signed_value && value < 0;
  const auto bits = static_cast<uint64_t>(value);
  if (to.dtype == DType::kF64)
    return to.store(index, negative ? static_cast<double>(value) : static_cast<double>(bits));
  const double magnitude = round_to_odd(negative ? uint64_t{0} - bits : bits);
  to.store(index, negative ? -magnitude : magnitude);
}

/// What a value beyond an 8-bit float's range becomes without saturation; nothing when in range.
std::optional<uint8_t> overflow_code(DType dtype, double value) {
  const double magnitude = std::fabs(value);
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  // Each limit is halfway past the largest finite value; a tie rounds to the even code.
  switch (dtype) {
    case DType::kF8E4M3FN:
      if (magnitude > 464) return static_cast<uint8_t>(sign | 0x7f);
      break;
    case DType::kF8E4M3FNUZ:
      if (magnitude >= 248) return uint8_t{0x80};
      break;
    case DType::kF8E5M2:
      if (magnitude >= 61440) return static_cast<uint8_t>(sign | 0x7c);
      break;
    case DType::kF8E5M2FNUZ:
      if (magnitude >= 61440) return uint8_t{0x80};
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

Status convert(const TensorView& from, const TensorView& to, bool saturate) noexcept {
  NPU_TRY(check_dims(to, from.dims));
  if (from.dtype == to.dtype) return copy_all(from, to);
  const int64_t count = from.elements();
  const bool to_float = is_float(to.dtype);
  for (int64_t i = 0; i < count; ++i) {
    if (is_float(from.dtype)) {
      const double value = from.load(i);
      const auto code = saturate || !to_float ? std::nullopt : overflow_code(to.dtype, value);
      if (code)
        to.data[i] = static_cast<std::byte>(*code);
      else if (dtype_bits(to.dtype) == 4)
        to.store_int(i, from.load_int(i));  // ONNX: the higher bits are dropped
      else
        to.store(i, value);
    } else if (to_float) {
      const int64_t value = from.load_int(i);
      const bool is_signed_value = is_signed(from.dtype);
      store_integer(to, i, value, is_signed_value);
      if (saturate) continue;
      if (const auto code = overflow_code(to.dtype, from.load(i)))
        to.data[i] = static_cast<std::byte>(*code);
    } else {
      to.store_int(i, from.load_int(i));
    }
  }
  return ok();
}

std::optional<std::vector<Dim>> converted_content(const InferContext& context, DType to) {
  const auto values = ints_of(context, 0);
  const DType from = context.type(0).dtype;
  if (!values || is_float(to) || is_float(from)) return std::nullopt;
  const bool wide = to == DType::kI64 || to == DType::kU64 || to == DType::kI32;
  const auto cell = Tensor::zeros(to, {});
  if (!cell) return std::nullopt;
  std::vector<Dim> out;
  for (const Dim& value : *values) {
    if (const auto number = value.known()) {
      cell->view().store_int(0, *number);
      out.emplace_back(cell->view().load_int(0));
    } else if (to == DType::kBool) {
      const auto is_zero = dims_equal(value, Dim(0));
      if (!is_zero) return std::nullopt;
      out.emplace_back(*is_zero ? 0 : 1);
    } else if (wide) {
      out.push_back(value);  // sizes of tensors: far below the limits of 32 bits
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace npugraph::ops
