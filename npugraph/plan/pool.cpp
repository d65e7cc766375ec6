// SPDX-License-Identifier: Apache-2.0
#include "npugraph/plan/pool.h"

#include <algorithm>
#include <iterator>

#include "npugraph/base/checked.h"

namespace npugraph {

Pool::Pool(int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {
  if (capacity_bytes > 0) free_.emplace(0, capacity_bytes);
}

std::optional<int64_t> Pool::allocate(int64_t size_bytes, int64_t align_bytes) {
  const int64_t wanted = std::max<int64_t>(size_bytes, 1);
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    const auto [start, length] = *block;
    const int64_t offset = round_up(start, align_bytes);
    const int64_t skipped = offset - start;
    if (skipped > length || wanted > length - skipped) continue;
    free_.erase(block);
    if (skipped > 0) free_.emplace(start, skipped);
    if (length - skipped > wanted) free_.emplace(offset + wanted, length - skipped - wanted);
    used_.emplace(offset, wanted);
    used_bytes_ += wanted;
    return offset;
  }
  return std::nullopt;
}

bool Pool::free(int64_t offset) {
  const auto block = used_.find(offset);
  if (block == used_.end()) return false;
  int64_t start = block->first;
  int64_t length = block->second;
  used_.erase(block);
  used_bytes_ -= length;
  auto next = free_.lower_bound(start);
  if (next != free_.end() && start + length == next->first) {
    length += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == start) {
      start = previous->first;
      length += previous->second;
      free_.erase(previous);
    }
  }
  free_.emplace(start, length);
  return true;
}

int64_t Pool::largest_free_bytes() const noexcept {
  int64_t largest = 0;
  for (const auto& [offset, length] : free_) largest = std::max(largest, length);
  return largest;
}

}  // namespace npugraph
