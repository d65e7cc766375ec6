// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace npugraph {

/// XXH3 of 128 bits: fast, not cryptographic; it finds damage, it does not prove authorship.
struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Hash128&) const = default;
  /// 32 lower-case hexadecimal digits.
  std::string hex() const;
};

Hash128 hash_bytes(std::span<const std::byte> bytes) noexcept;

}  // namespace npugraph
