// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "npugraph/base/result.h"

namespace npugraph {

/// A non-owning reference to a callable `void(int64_t begin, int64_t end)`; valid during the call.
class RangeFunction {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, RangeFunction>)
  RangeFunction(const F& body) noexcept  // NOLINT(google-explicit-constructor)
      : object_(&body), call_([](const void* object, int64_t begin, int64_t end) {
          (*static_cast<const F*>(object))(begin, end);
        }) {}
  void operator()(int64_t begin, int64_t end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void*, int64_t, int64_t);
};

/// Workers for data-parallel loops. One thread at a time may call parallel_for; it takes part.
/// Workers spin a few microseconds for new work, then sleep on a futex; no spinning when the
/// process has fewer processors than threads. Allocates nothing after construction.
class ThreadPool {
 public:
  /// threads: how many take part, the caller included (1 makes no worker; at most 256).
  /// Errors: kBadOption outside 1..256; kOutOfMemory when a thread cannot be started.
  static Result<std::unique_ptr<ThreadPool>> create(int64_t threads);

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int64_t thread_count() const noexcept;

  /// Calls body(begin, end) on disjoint ranges that cover [0, count), each of at most `grain`
  /// items, taken from an atomic counter; returns when all are done. How a range is split never
  /// changes a result: bodies compute each item by itself. A body must not call parallel_for.
  void parallel_for(int64_t count, int64_t grain, RangeFunction body) noexcept;

 private:
  struct State;
  explicit ThreadPool(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace npugraph
