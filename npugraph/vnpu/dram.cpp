// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/dram.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <mutex>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"

namespace npugraph::vnpu {
namespace {

constexpr int64_t kPage_bytes = 4096;
constexpr int64_t kFirstOffset = 64;  // so that no allocation has the address of the bare tag
constexpr uint64_t kOffsetMask = (uint64_t{1} << 48) - 1;

}  // namespace

Dram::~Dram() {
  if (backing_ != nullptr) munmap(backing_, static_cast<size_t>(capacity_bytes_));
}

Status Dram::reserve() {
  if (backing_ != nullptr) return ok();
  void* backing = mmap(nullptr, static_cast<size_t>(capacity_bytes_), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (backing == MAP_FAILED) {
    return fail(ErrorId::kOutOfMemory, "the host has no address space for the simulated memory",
                text(capacity_bytes_, " bytes"), {},
                "use a hardware file with a smaller dram.bytes");
  }
  backing_ = static_cast<std::byte*>(backing);
  return ok();
}

Result<DeviceAddress> Dram::allocate(int64_t size_bytes, int64_t align_bytes) {
  const int64_t wanted = std::max<int64_t>(size_bytes, 1);
  const std::unique_lock lock(mutex_);
  NPU_TRY(reserve());
  int64_t at = round_up(kFirstOffset, align_bytes);
  for (const auto& [offset, bytes] : blocks_) {
    if (at <= offset && wanted <= offset - at) break;
    at = std::max(at, round_up(offset + bytes, align_bytes));
  }
  if (at > capacity_bytes_ || wanted > capacity_bytes_ - at) {
    int64_t in_use = 0;
    for (const auto& [offset, bytes] : blocks_) in_use += bytes;
    return fail(ErrorId::kOutOfMemory, "the simulated device memory is full",
                text(size_bytes, " bytes asked for"),
                text("at most ", capacity_bytes_, " bytes, of which ", in_use, " are in use"));
  }
  blocks_.emplace(at, wanted);
  return kAddressTag | static_cast<uint64_t>(at);
}

void Dram::release(DeviceAddress address) noexcept {
  const std::unique_lock lock(mutex_);
  const auto block = blocks_.find(static_cast<int64_t>(address & kOffsetMask));
  if (block == blocks_.end()) return;
  const int64_t first = round_up(block->first, kPage_bytes);
  const int64_t end = (block->first + block->second) / kPage_bytes * kPage_bytes;
  // Whole pages inside of the block only: the others may hold parts of its neighbours.
  if (first < end) madvise(backing_ + first, static_cast<size_t>(end - first), MADV_DONTNEED);
  blocks_.erase(block);
}

std::byte* Dram::resolve(DeviceAddress address, int64_t size_bytes) const noexcept {
  if ((address & ~kOffsetMask) != kAddressTag || size_bytes < 0) return nullptr;
  const auto offset = static_cast<int64_t>(address & kOffsetMask);
  const std::shared_lock lock(mutex_);
  const auto after = blocks_.upper_bound(offset);
  if (after == blocks_.begin()) return nullptr;
  const auto& [start, bytes] = *std::prev(after);
  const int64_t inside = offset - start;
  if (inside > bytes || size_bytes > bytes - inside) return nullptr;
  return backing_ + offset;
}

}  // namespace npugraph::vnpu
