// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tensor/half.h"

#include <algorithm>
#include <cmath>

namespace npugraph {
namespace {

/// value / 2^exponent rounded to the nearest integer, ties to even.
double round_scaled(double value, int exponent) noexcept {
  return std::nearbyint(std::ldexp(value, -exponent));
}

/// Bits of |value| in a format of `mantissa` bits and `bias`; may round up into the next exponent.
uint32_t encode_magnitude(double value, int mantissa, int bias) noexcept {
  if (value == 0) return 0;
  int exponent = 0;
  std::frexp(value, &exponent);                 // value = f * 2^exponent, f in [0.5, 1)
  exponent = std::max(exponent - 1, 1 - bias);  // subnormals share the smallest exponent
  const auto steps = static_cast<uint32_t>(round_scaled(value, exponent - mantissa));
  const uint32_t base = static_cast<uint32_t>(exponent + bias - 1) << mantissa;
  return base + steps;  // steps carries the hidden bit: a normal adds one to the exponent field
}

float decode_magnitude(uint32_t bits, int mantissa, int bias) noexcept {
  const uint32_t exponent = bits >> mantissa;
  const uint32_t fraction = bits & ((1u << mantissa) - 1);
  const uint32_t steps = exponent == 0 ? fraction : fraction + (1u << mantissa);
  const int scale = static_cast<int>(std::max(exponent, 1u)) - bias - mantissa;
  return std::ldexp(static_cast<float>(steps), scale);
}

}  // namespace

float f16_to_f32(uint16_t bits) noexcept {
  const uint32_t magnitude = bits & 0x7fffu;
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  if (magnitude > 0x7c00u) return std::nanf("");
  if (magnitude == 0x7c00u) return sign * HUGE_VALF;
  return sign * decode_magnitude(magnitude, 10, 15);
}

uint16_t f64_to_f16(double value) noexcept {
  const uint32_t sign = std::signbit(value) ? 0x8000u : 0;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00u);
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return static_cast<uint16_t>(sign | 0x7c00u);
  return static_cast<uint16_t>(sign | encode_magnitude(magnitude, 10, 15));
}

uint16_t f64_to_bf16(double value) noexcept {
  const uint32_t sign = std::signbit(value) ? 0x8000u : 0;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7fc0u);
  const double magnitude = std::fabs(value);
  constexpr double kLimit = 0x1.FFp127;  // halfway past the largest finite bfloat16
  if (magnitude >= kLimit) return static_cast<uint16_t>(sign | 0x7f80u);
  return static_cast<uint16_t>(sign | encode_magnitude(magnitude, 7, 127));
}

float f8_to_f32(uint8_t bits, F8Format format) noexcept {
  const uint32_t magnitude = bits & 0x7fu;
  const float sign = (bits & 0x80u) != 0 ? -1.0f : 1.0f;
  if (!format.negative_zero && bits == 0x80u) return std::nanf("");
  if (format.infinity && magnitude >= 0x7cu)
    return magnitude == 0x7cu ? sign * HUGE_VALF : std::nanf("");
  if (format.negative_zero && !format.infinity && magnitude == 0x7fu) return std::nanf("");
  return sign * decode_magnitude(magnitude, format.mantissa_bits, format.bias);
}

uint8_t f64_to_f8(double value, F8Format format) noexcept {
  const uint32_t sign = std::signbit(value) ? 0x80u : 0;
  if (std::isnan(value)) return static_cast<uint8_t>(format.negative_zero ? (sign | 0x7fu) : 0x80u);
  const uint32_t largest = format.infinity ? 0x7bu : format.negative_zero ? 0x7eu : 0x7fu;
  const double limit = f8_to_f32(static_cast<uint8_t>(largest), format);
  const double magnitude = std::min(std::fabs(value), limit);
  const uint32_t code =
      std::min(encode_magnitude(magnitude, format.mantissa_bits, format.bias), largest);
  if (code == 0 && !format.negative_zero) return 0;
  return static_cast<uint8_t>(sign | code);
}

}  // namespace npugraph
