// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>

#include "npugraph/base/result.h"

namespace npugraph::vnpu {

/// An address in simulated memory: a tag in the upper 16 bits, an offset below. The tag makes it a
/// pointer that no x86-64 processor will follow, so host code that mistakes it for its own memory
/// stops at once instead of reading something.
using DeviceAddress = uint64_t;
inline constexpr DeviceAddress kAddressTag = uint64_t{0x4e50} << 48;

/// Simulated DRAM. Thread-safe.
class Dram {
 public:
  /// Takes no memory yet: address space is reserved by the first allocate(), and host pages are
  /// taken when touched.
  explicit Dram(int64_t capacity_bytes) noexcept : capacity_bytes_(capacity_bytes) {}
  Dram(const Dram&) = delete;
  Dram& operator=(const Dram&) = delete;
  ~Dram();

  /// First gap that fits. align_bytes: a power of two. Errors: kOutOfMemory.
  Result<DeviceAddress> allocate(int64_t size_bytes, int64_t align_bytes);
  /// address: as allocate() gave it. Its pages go back to the host.
  void release(DeviceAddress address) noexcept;

  /// Where the simulator keeps [address, address + size_bytes); null when any of it is not
  /// allocated.
  std::byte* resolve(DeviceAddress address, int64_t size_bytes) const noexcept;

  int64_t capacity_bytes() const noexcept { return capacity_bytes_; }

 private:
  Status reserve();

  std::byte* backing_ = nullptr;  // an anonymous mapping of capacity_bytes_, guarded by mutex_
  int64_t capacity_bytes_;
  mutable std::shared_mutex mutex_;
  std::map<int64_t, int64_t> blocks_;  // offset -> bytes, guarded by mutex_
};

}  // namespace npugraph::vnpu
