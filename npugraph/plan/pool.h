// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace npugraph {

/// Hands out ranges of one region of `capacity_bytes`, first fit, and merges freed neighbours; it
/// never touches the memory itself. One thread at a time.
class Pool {
 public:
  explicit Pool(int64_t capacity_bytes);

  /// Offset of a free range, a multiple of align_bytes (a power of two); nothing when none is
  /// large enough. size_bytes 0 takes 1 byte, so that every offset is unique.
  std::optional<int64_t> allocate(int64_t size_bytes, int64_t align_bytes = 64);
  /// Gives back what allocate() returned at `offset`; false when nothing is allocated there.
  bool free(int64_t offset);

  int64_t capacity_bytes() const noexcept { return capacity_bytes_; }
  int64_t used_bytes() const noexcept { return used_bytes_; }
  int64_t free_block_count() const noexcept { return static_cast<int64_t>(free_.size()); }
  int64_t largest_free_bytes() const noexcept;

 private:
  int64_t capacity_bytes_;
  int64_t used_bytes_ = 0;
  std::map<int64_t, int64_t> free_;  // offset -> bytes
  std::map<int64_t, int64_t> used_;  // offset -> bytes
};

}  // namespace npugraph
