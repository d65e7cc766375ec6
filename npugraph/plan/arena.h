// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "npugraph/base/result.h"

namespace npugraph {

/// A buffer that is alive in steps [first, last], both included.
struct Lifetime {
  int64_t first = 0;
  int64_t last = 0;
  int64_t size_bytes = 0;
  int64_t align_bytes = 64;
};

struct ArenaPlan {
  std::vector<int64_t> offset_bytes;  // one a buffer; 0 for one without bytes
  int64_t arena_bytes = 0;
  int64_t peak_live_bytes = 0;  // most bytes alive at one step: no plan can be smaller
};

/// Places buffers in one arena; two that live at the same step never overlap. Best fit into the
/// gaps left by those already placed; tried in several orders (size, size x duration, first step),
/// each improved by placing what ends up on top earlier, and the smallest arena is kept, so equal
/// input gives equal output.
/// buffers: sizes of 0 or more, align_bytes a power of two.
/// Errors: kOutOfMemory when the arena would pass limit_bytes; kSizeOverflow.
Result<ArenaPlan> plan_arena(std::span<const Lifetime> buffers,
                             int64_t limit_bytes = std::numeric_limits<int64_t>::max());

/// Most bytes alive at one step.
int64_t peak_live_bytes(std::span<const Lifetime> buffers);

/// Alignment of a tensor in an arena: a cache line for large ones, so that vector loads do not
/// straddle lines; only the element's own for small ones, so that many of them pack tightly.
inline constexpr int64_t kLarge_bytes = 1024;
int64_t tensor_align_bytes(int64_t size_bytes, int64_t element_bits);

}  // namespace npugraph
