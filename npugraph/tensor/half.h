// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace npugraph {

/// IEEE binary16 to float, exact.
float f16_to_f32(uint16_t bits) noexcept;
/// To nearest even; overflow to infinity; NaN stays NaN. Rounds a double once.
uint16_t f64_to_f16(double value) noexcept;
inline float bf16_to_f32(uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
uint16_t f64_to_bf16(double value) noexcept;

/// A float8 format of the OCP and ONNX specifications.
struct F8Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool infinity;       // S.11111.00 is infinity (E5M2)
  bool negative_zero;  // false: 0x80 is the one NaN (…UZ)
};
inline constexpr F8Format kF8E4M3FN = {4, 3, 7, false, true};
inline constexpr F8Format kF8E4M3FNUZ = {4, 3, 8, false, false};
inline constexpr F8Format kF8E5M2 = {5, 2, 15, true, true};
inline constexpr F8Format kF8E5M2FNUZ = {5, 2, 16, false, false};

float f8_to_f32(uint8_t bits, F8Format format) noexcept;
/// To nearest even; out of range saturates to the largest finite value.
uint8_t f64_to_f8(double value, F8Format format) noexcept;

}  // namespace npugraph
