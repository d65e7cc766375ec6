// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace npugraph {

/// a * b, or nothing when the product does not fit in 64 bits.
inline std::optional<int64_t> checked_mul(int64_t a, int64_t b) noexcept {
  int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// a + b, or nothing when the sum does not fit in 64 bits.
inline std::optional<int64_t> checked_add(int64_t a, int64_t b) noexcept {
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// Rounds up to a multiple of `step` (> 0); `value` and the result must fit in 64 bits.
constexpr int64_t round_up(int64_t value, int64_t step) noexcept {
  return (value + step - 1) / step * step;
}

constexpr int64_t ceil_div(int64_t a, int64_t b) noexcept { return (a + b - 1) / b; }

}  // namespace npugraph
