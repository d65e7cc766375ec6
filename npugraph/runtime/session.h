// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "npugraph/engine/engine.h"
#include "npugraph/hal/driver.h"
#include "npugraph/plan/bindings.h"
#include "npugraph/runtime/run_types.h"

namespace npugraph {

struct PreparedPlan;
struct PreparedTask;
struct LateExecutable;

/// Called after each launch and copy with the task and its outputs, in host memory.
using TaskObserver = std::function<void(const Task&, Views outputs)>;

/// An engine ready to run: its programs loaded on their devices, with memory and queues that no
/// other session touches. One thread at a time; different sessions run in parallel.
class RuntimeSession {
 public:
  /// drivers: at least one for each device of the engine, found by name; they outlive the session.
  /// Errors: kDeviceUnknown, kDeviceMismatch, kFirmware, kEngineCorrupt, kProgramInvalid.
  static Result<std::unique_ptr<RuntimeSession>> create(std::shared_ptr<const EngineFile> engine,
                                                        std::span<Driver* const> drivers,
                                                        const RunOptions& options);
  RuntimeSession(const RuntimeSession&) = delete;
  RuntimeSession& operator=(const RuntimeSession&) = delete;
  ~RuntimeSession();

  const EngineFile& engine() const noexcept { return *engine_; }
  std::span<const PortDescription> inputs() const noexcept { return inputs_; }
  std::span<const PortDescription> outputs() const noexcept { return outputs_; }

  /// Phase one: everything for these input shapes that may fail or allocate. Done once a shape key.
  /// What only a branch or a loop's body does, and cannot do for these shapes, fails when it is
  /// run. Errors: kShapeMismatch naming the input, kOutOfMemory, and those of the drivers.
  Status prepare(std::span<const Dims> input_dims);

  /// Phase two, after prepare() for exactly these shapes: allocates nothing, but for sizes known
  /// only at run time. in, out: host tensors in port order, used in place; out may be empty, or
  /// hold views with null data: those outputs go to the session's own memory, see output().
  /// Errors: kBadInputCount, kBadTensor, kMisaligned; kIndexOutOfRange and the like from data;
  /// kLatePoolFull.
  Status execute(Views in, Views out) noexcept;

  /// prepare() where needed, then execute(). Allocates nothing of its own for shapes that are
  /// prepared.
  Status run(Views in, Views out);

  /// prepare() where needed, and all checks of execute() without executing. Errors: as both.
  Status check(Views in, Views out);

  /// prepare() where needed; dims of the outputs, nothing for those whose size only running tells.
  Result<std::vector<std::optional<Dims>>> output_dims(std::span<const Dims> input_dims);

  /// Output `index` of the last execution; valid until the next.
  const TensorView& output(int64_t index) const noexcept;

  const RunTimes& times() const noexcept { return times_; }
  /// Arena and scratch bytes now held on all devices, and how often prepare() built a new plan.
  int64_t arena_bytes() const noexcept;
  int64_t prepared_count() const noexcept { return prepared_count_; }
  int64_t late_bytes() const noexcept { return late_bytes_; }
  /// Null switches it off. Observing copies device tensors to the host and allocates.
  void observe(TaskObserver observer) { observer_ = std::move(observer); }

 private:
  struct DeviceState {
    Driver* driver = nullptr;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<DeviceMemory> arena;  // planned buffers, then scratch
    int64_t busy_before_ns = 0;
  };
  /// Memory of one slot whose size only running tells; grows, never shrinks.
  struct LateBuffer {
    std::unique_ptr<DeviceMemory> memory;
  };

  RuntimeSession() = default;
  Status load_programs();
  /// Makes the plan of these shapes the most recently used.
  bool is_prepared(Views in) noexcept;
  Result<PreparedPlan*> find_or_prepare(std::span<const Dims> input_dims);
  Result<std::unique_ptr<PreparedPlan>> build(std::span<const Dims> input_dims);
  Status evaluate_shapes(PreparedPlan& plan, std::span<const Dims> input_dims) const;
  Status place_buffers(PreparedPlan& plan) const;
  Status prepare_tasks(PreparedPlan& plan) const;
  Status prepare_task(PreparedPlan& plan, const Task& task, PreparedTask& row) const;
  Status reserve(PreparedPlan& plan);

  Status check_ports(PreparedPlan& plan, Views in, Views out) const;
  Status bind(PreparedPlan& plan, Views in, Views out);
  Status execute_plan(PreparedPlan& plan, Views in, Views out);
  Status run_block(PreparedPlan& plan, int32_t block);
  Status run_task(PreparedPlan& plan, int32_t block, size_t index);
  Status launch(PreparedPlan& plan, const Task& task, PreparedTask& prepared);
  Status launch_late(PreparedPlan& plan, const Task& task, std::vector<LateExecutable>& known);
  Result<std::span<std::byte>> late_scratch(int64_t bytes);
  Status check_slots(const PreparedPlan& plan, std::initializer_list<int32_t> slots) const;
  /// A value whose size only running tells has no memory before it is made.
  Status check_made(const PreparedPlan& plan, int32_t slot) const;
  Status copy(PreparedPlan& plan, const Task& task);
  Status wait(const Task& task);
  Status branch(PreparedPlan& plan, const Task& task);
  Status start_loop(PreparedPlan& plan, const Task& task);
  Status loop(PreparedPlan& plan, const Task& task);
  Status move(PreparedPlan& plan, const Move& move);
  Status append_row(PreparedPlan& plan, const Move& move, int64_t row);
  Status resize_late(PreparedPlan& plan, int32_t slot, const Dims& dims, int64_t reserve_bytes);
  Status ensure_buffer(PreparedPlan& plan, int32_t slot);
  void release_buffers(PreparedPlan& plan, int64_t step);
  Status observe_task(PreparedPlan& plan, const Task& task);
  Status finish(PreparedPlan& plan, Views out);

  std::shared_ptr<const EngineFile> engine_;
  RunOptions options_;
  std::vector<PortDescription> inputs_, outputs_;
  std::vector<DeviceState> devices_;
  std::vector<std::unique_ptr<DeviceProgram>> programs_;
  std::vector<Tensor> weight_slots_;  // by slot: constants that control flow reads
  std::vector<std::unique_ptr<PreparedPlan>> prepared_;  // most recently used first
  std::vector<LateBuffer> late_;                         // by slot
  std::unique_ptr<DeviceMemory> late_scratch_;
  int64_t late_bytes_ = 0;
  int64_t prepared_count_ = 0;
  bool virtual_time_ = false;
  int64_t host_virtual_ns_ = 0;
  RunTimes times_;
  std::vector<TensorView> last_outputs_;
  TaskObserver observer_;
};

}  // namespace npugraph
