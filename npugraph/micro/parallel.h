// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "npugraph/base/thread_pool.h"

namespace npugraph::micro {

/// Work in floating-point operations, or bytes moved, below which waking another thread costs more
/// than it saves.
inline constexpr int64_t kWorthWaking = 50'000;

/// How many slots of scratch a loop uses: one a thread, one alone when there is little to do.
inline int64_t slot_count(const ThreadPool& pool, int64_t tasks, double work) noexcept {
  if (tasks <= 1 || work < static_cast<double>(kWorthWaking)) return 1;
  return tasks < pool.thread_count() ? tasks : pool.thread_count();
}

/// Calls body(task, slot) for every task in [0, tasks). No two calls with the same slot overlap, so
/// slots index scratch memory.
template <class Body>
void for_each_task(ThreadPool& pool, int64_t tasks, int64_t slots, const Body& body) noexcept {
  std::atomic<int64_t> next = 0;
  pool.parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      while (true) {
        const int64_t task = next.fetch_add(1, std::memory_order_relaxed);
        if (task >= tasks) break;
        body(task, slot);
      }
    }
  });
}

}  // namespace npugraph::micro
