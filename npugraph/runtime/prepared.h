// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/hal/driver.h"
#include "npugraph/tensor/shape.h"

namespace npugraph {

/// A launch made ready: its program's executable and the views it is called with, everything but
/// addresses filled in.
struct PreparedTask {
  std::unique_ptr<Executable> executable;  // null for late tasks, and with an error
  std::optional<Error> error;  // why a task of a branch or loop cannot run for these shapes
  std::vector<TensorView> in, out;
};

/// An executable made during a run, for the shapes that a late task met.
struct LateExecutable {
  std::vector<Dims> key;  // of the inputs, then of the outputs
  PreparedTask task;
};

/// Everything that depends on the input shapes. Only its session touches it.
struct PreparedPlan {
  std::vector<Dims> key;                         // input dims
  std::vector<TensorView> slots;                 // by slot; late ones get their dims while running
  std::map<int32_t, Error> slot_errors;          // nested slots that have no size for these inputs
  std::vector<int64_t> offset_bytes;             // by buffer, in its device's arena
  std::vector<int64_t> size_bytes;               // by buffer
  std::vector<int64_t> arena_bytes;              // by device
  std::vector<int64_t> scratch_bytes;            // by device
  std::vector<std::vector<PreparedTask>> tasks;  // by block and task
  std::vector<std::vector<std::vector<LateExecutable>>> late;  // by block and task, latest first
  std::unique_ptr<DeviceMemory> output_memory;  // for outputs that the caller gives no buffer for
  std::vector<int64_t> output_offset_bytes;     // by output
  std::vector<std::unique_ptr<DeviceMemory>> buffers;  // by buffer, when memory is not planned
  std::vector<std::vector<int64_t>> release_at;        // by step: buffers, when not planned
};

/// Executables that one late task keeps.
inline constexpr size_t kMaxLateExecutables = 8;

}  // namespace npugraph
