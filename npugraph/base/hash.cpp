// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/hash.h"

#include <xxhash.h>

#include <cinttypes>
#include <cstdio>

namespace npugraph {

std::string Hash128::hex() const {
  char text[33];
  std::snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, high, low);
  return text;
}

Hash128 hash_bytes(std::span<const std::byte> bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

}  // namespace npugraph
