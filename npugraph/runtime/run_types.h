// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "npugraph/tensor/tensor.h"

/// What the runtime and the public interface say of running in the same words.
namespace npugraph {

/// An input or output: dims may be expressions over the symbols of the input shapes.
struct PortDescription {
  std::string name;
  TensorType type;
};

struct RunOptions {
  int64_t threads = 0;         // host threads, the caller included; 0: all processors
  bool planned_memory = true;  // false: every buffer is allocated when it is first written and
                               // freed after its last use, to find what planning hides
  int64_t late_limit_bytes = int64_t{4} << 30;  // for tensors whose size only running can tell
  int64_t max_prepared = 16;  // input shapes that stay prepared; the least recently used goes
};

/// What one execution cost.
struct RunTimes {
  int64_t wall_ns = 0;
  int64_t virtual_ns = 0;                                     // 0: no simulated device
  std::vector<std::pair<std::string, int64_t>> busy_ns = {};  // by device, on its own clock
};

}  // namespace npugraph
