// SPDX-License-Identifier: Apache-2.0
#include "npugraph/drivers/null/null_driver.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

struct FreeBytes {
  void operator()(std::byte* bytes) const noexcept { std::free(bytes); }  // NOLINT: aligned_alloc's
};
using Bytes = std::unique_ptr<std::byte, FreeBytes>;

/// Counters outlive the driver, because memory may: whoever counts holds a share.
using Counters = std::shared_ptr<DriverCounters>;

class NullMemory final : public DeviceMemory {
 public:
  NullMemory(Bytes bytes, int64_t size_bytes, Counters counters) noexcept
      : bytes_(std::move(bytes)), size_bytes_(size_bytes), counters_(std::move(counters)) {
    counters_->allocations += 1;
    counters_->bytes_in_use += size_bytes;
  }
  NullMemory(const NullMemory&) = delete;
  NullMemory& operator=(const NullMemory&) = delete;
  ~NullMemory() override { counters_->bytes_in_use -= size_bytes_; }

  std::byte* address() const noexcept override { return bytes_.get(); }
  int64_t size_bytes() const noexcept override { return size_bytes_; }

 private:
  Bytes bytes_;
  int64_t size_bytes_;
  Counters counters_;
};

class NullQueue final : public Queue {
 public:
  explicit NullQueue(Counters counters) noexcept : counters_(std::move(counters)) {}

  Status execute(Executable&, Views, Views, std::span<std::byte>) noexcept override {
    // load() refuses every program, so nobody can hold an executable of this device.
    return fail(ErrorId::kInternal, "the null device was given something to execute");
  }
  Status copy_in(const TensorView& device, const TensorView& host) noexcept override {
    return copy(device, host);
  }
  Status copy_out(const TensorView& host, const TensorView& device) noexcept override {
    return copy(host, device);
  }
  EventRecord record() noexcept override { return {clock_ns()}; }
  Status wait(const EventRecord&) noexcept override { return ok(); }  // all work is done already
  Status synchronize() noexcept override { return ok(); }
  int64_t clock_ns() const noexcept override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }
  int64_t busy_ns() const noexcept override { return 0; }

 private:
  Status copy(const TensorView& to, const TensorView& from) noexcept {
    if (to.dtype != from.dtype || to.dims != from.dims) {
      return fail(ErrorId::kBadTensor, "a copy between tensors of different types");
    }
    counters_->copies += 1;
    counters_->copied_bytes += from.bytes();
    if (from.bytes() > 0) std::memcpy(to.data, from.data, static_cast<size_t>(from.bytes()));
    return ok();
  }

  Counters counters_;
};

class NullDriver final : public Driver {
 public:
  NullDriver() : counters_(std::make_shared<DriverCounters>()) {
    info_.name = "null";
    info_.fingerprint = "null";
    info_.description = "no device: holds memory, runs nothing";
    info_.host_memory = true;
  }

  const DriverInfo& info() const noexcept override { return info_; }
  const DriverCounters& counters() const noexcept override { return *counters_; }

  Status accepts(const PlanDevice& device) const override {
    if (device.name == info_.name && device.fingerprint == info_.fingerprint) return ok();
    return fail(ErrorId::kDeviceMismatch, "the engine was compiled for another device",
                text(device.name, " (", device.fingerprint, ")"), "null (null)");
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(int64_t size_bytes, int64_t align_bytes) override {
    const int64_t align = std::max(align_bytes, info_.align_bytes);
    const auto padded = checked_add(std::max<int64_t>(size_bytes, 1), align);
    Bytes bytes;
    if (padded) {
      bytes.reset(static_cast<std::byte*>(std::aligned_alloc(
          static_cast<size_t>(align), static_cast<size_t>(*padded / align * align))));
    }
    if (bytes == nullptr) {
      return fail(ErrorId::kOutOfMemory, "cannot allocate memory of device null",
                  text(size_bytes, " bytes"));
    }
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<NullMemory>(std::move(bytes), size_bytes, counters_));
  }

  Result<std::unique_ptr<DeviceProgram>> load(std::span<const std::byte> code,
                                              std::span<const Tensor>) override {
    return fail(ErrorId::kProgramInvalid, "the null device has no programs",
                text(code.size(), " bytes"), "none");
  }

  Result<std::unique_ptr<Queue>> create_queue(const QueueOptions&) override {
    return std::unique_ptr<Queue>(std::make_unique<NullQueue>(counters_));
  }

 private:
  DriverInfo info_;
  Counters counters_;
};

}  // namespace

std::unique_ptr<Driver> make_null_driver() { return std::make_unique<NullDriver>(); }

}  // namespace npugraph
