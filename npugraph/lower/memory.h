// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "npugraph/engine/task_plan.h"

namespace npugraph {

/// Steps in which an arena slot holds data somebody still needs, both included.
struct SlotLife {
  int64_t first = 0;
  int64_t last = 0;
};

/// A task's output that may take over the buffer of one of these inputs, if that input is not
/// needed afterwards.
struct TakeOver {
  int64_t step = 0;
  int32_t output = 0;               // slot
  std::vector<int32_t> candidates;  // slots
};

/// Gives every arena slot of `plan` a buffer, shares buffers by take-over, and places those of
/// devices whose sizes are all known. lives: of every arena slot. Fills plan.buffers, arena_bytes,
/// peak_live_bytes and sum_bytes. reuse off: every slot its own buffer, alive all the time.
/// Errors: kSizeOverflow.
Status plan_memory(TaskPlan& plan, const std::map<int32_t, SlotLife>& lives,
                   const std::vector<TakeOver>& take_overs, bool reuse);

}  // namespace npugraph
