// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/engine/task_plan.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph {

/// The run-side interface of a device. The runtime knows no more of a device than this; its C form
/// for other makers' plug-ins is hal/plugin_abi.h. A TensorView's `data` is an address in the
/// device's own memory: only the driver may follow it, unless the device shares the host's memory.

/// What a driver says about its device.
struct DriverInfo {
  std::string name;            // as in PlanDevice::name
  std::string fingerprint;     // must equal the program's, see Driver::accepts()
  std::string firmware;        // "" where there is none
  std::string description;     // one line for people
  bool host_memory = false;    // buffers are ordinary host memory: no copies needed
  bool virtual_clock = false;  // clock_ns() is simulated time
  int64_t align_bytes = 64;
};

/// What a driver has handed out so far. Counters only grow, except bytes_in_use.
struct DriverCounters {
  std::atomic<int64_t> allocations{0};
  std::atomic<int64_t> bytes_in_use{0};
  std::atomic<int64_t> copies{0};
  std::atomic<int64_t> copied_bytes{0};
  std::atomic<int64_t> launches{0};
};

/// Memory of a device; freed with the object.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual std::byte* address() const noexcept = 0;
  virtual int64_t size_bytes() const noexcept = 0;
};

/// A program made ready for concrete shapes. One thread at a time.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual int64_t scratch_bytes() const noexcept = 0;
};

/// A loaded program. Immutable, thread-safe.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;
  /// Chooses and allocates everything for these shapes. Null type: absent optional input.
  /// Errors: kShapeMismatch, kOutOfMemory, …
  virtual Result<std::unique_ptr<Executable>> prepare(std::span<const TensorType* const> in,
                                                      std::span<const TensorType> out) const = 0;
  /// Output types when they depend on the inputs' data, for late tasks. Host-memory devices only.
  virtual Result<std::vector<TensorType>> infer(Views in, int64_t output_count) const = 0;
};

/// A point in a queue's time.
struct EventRecord {
  int64_t time_ns = 0;
};

/// An in-order queue of work. One thread at a time. execute() and the rest allocate nothing.
class Queue {
 public:
  virtual ~Queue() = default;
  /// in: absent inputs as no_tensor(). Views have exactly the prepared types.
  virtual Status execute(Executable& executable, Views in, Views out,
                         std::span<std::byte> scratch) noexcept = 0;
  /// Host memory to this device's, and back. Same dtype and dims, dense.
  virtual Status copy_in(const TensorView& device, const TensorView& host) noexcept = 0;
  virtual Status copy_out(const TensorView& host, const TensorView& device) noexcept = 0;
  /// What was enqueued so far is finished at this time.
  virtual EventRecord record() noexcept = 0;
  /// Nothing enqueued later starts before `event`.
  virtual Status wait(const EventRecord& event) noexcept = 0;
  /// Blocks until all that was enqueued is done.
  virtual Status synchronize() noexcept = 0;
  /// The device's clock: simulated time where DriverInfo::virtual_clock, else steady wall time.
  virtual int64_t clock_ns() const noexcept = 0;
  /// Time in which the device was computing, since the queue was made.
  virtual int64_t busy_ns() const noexcept = 0;
};

struct QueueOptions {
  int64_t threads = 1;  // host threads that may take part, the caller included
};

/// One device. Thread-safe.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual const DriverInfo& info() const noexcept = 0;
  virtual const DriverCounters& counters() const noexcept = 0;
  /// Whether programs compiled for `device` run here. Errors: kDeviceMismatch, kFirmware, naming
  /// both sides.
  virtual Status accepts(const PlanDevice& device) const = 0;
  /// Errors: kOutOfMemory.
  virtual Result<std::unique_ptr<DeviceMemory>> allocate(int64_t size_bytes,
                                                         int64_t align_bytes) = 0;
  /// weights: in the program's order; their bytes stay valid as long as the tensors do.
  /// Errors: kProgramInvalid.
  virtual Result<std::unique_ptr<DeviceProgram>> load(std::span<const std::byte> code,
                                                      std::span<const Tensor> weights) = 0;
  virtual Result<std::unique_ptr<Queue>> create_queue(const QueueOptions& options) = 0;
};

}  // namespace npugraph
