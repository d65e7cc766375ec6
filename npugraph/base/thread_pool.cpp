// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "npugraph/base/platform.h"
#include "npugraph/base/text.h"

namespace npugraph {

namespace {

constexpr int64_t kMaxThreads = 256;
// A pause takes some 10 to 40 ns, so this is about 10 to 40 us: longer than the gap between two
// kernels of one inference, shorter than a scheduling quantum.
constexpr int kSpinRounds = 1000;
constexpr int32_t kOpen = 1 << 30;

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

// One loop at a time. `gate` holds kOpen while a loop may be joined, plus the number of workers
// inside. A worker may only touch the job between joining (compare-exchange while open) and
// leaving, and the caller changes the job only when the gate is zero; so a worker that wakes late
// finds the gate closed and never holds up a loop that is already over.
struct ThreadPool::State {
  std::atomic<int32_t> signal = 0;  // rises with each loop; workers sleep on it
  std::atomic<int32_t> gate = 0;
  std::atomic<bool> stop = false;
  int spin_rounds = 0;

  // The job: written while the gate is zero, read while inside.
  const RangeFunction* body = nullptr;
  int64_t count = 0;
  int64_t grain = 1;
  int64_t chunks = 0;
  alignas(64) std::atomic<int64_t> next_chunk = 0;

  std::vector<std::thread> workers;

  ~State() {
    stop.store(true, std::memory_order_release);
    signal.fetch_add(1);
    signal.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  void run_chunks() noexcept {
    while (true) {
      const int64_t chunk = next_chunk.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks) return;
      const int64_t begin = chunk * grain;
      (*body)(begin, begin + std::min(grain, count - begin));
    }
  }

  /// Waits until `word` differs from `old`: spins first, then sleeps.
  void wait_while(std::atomic<int32_t>& word, int32_t old) const noexcept {
    for (int round = 0; round < spin_rounds; ++round) {
      if (word.load(std::memory_order_acquire) != old) return;
      relax();
    }
    word.wait(old, std::memory_order_acquire);
  }

  bool join() noexcept {
    int32_t inside = gate.load(std::memory_order_relaxed);
    while ((inside & kOpen) != 0) {
      if (gate.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void work() noexcept {
    int32_t seen = 0;
    while (true) {
      wait_while(signal, seen);
      seen = signal.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_acquire)) return;
      if (!join()) continue;
      run_chunks();
      if (gate.fetch_sub(1, std::memory_order_acq_rel) == 1) gate.notify_one();
    }
  }
};

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int64_t threads) {
  if (threads < 1 || threads > kMaxThreads) {
    return fail(ErrorId::kBadOption, "the number of threads is not valid", text(threads),
                text("1..", kMaxThreads));
  }
  auto state = std::make_unique<State>();
  state->spin_rounds = cpu_count() < threads ? 0 : kSpinRounds;
  state->workers.reserve(static_cast<size_t>(threads - 1));
  try {
    for (int64_t worker = 1; worker < threads; ++worker) {
      state->workers.emplace_back([raw = state.get()] { raw->work(); });
    }
  } catch (const std::system_error& error) {
    return fail(ErrorId::kOutOfMemory, "a worker thread cannot be started", error.what(),
                text(threads, " threads"), "use fewer threads");
  }
  return std::unique_ptr<ThreadPool>(new ThreadPool(std::move(state)));
}

ThreadPool::ThreadPool(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}

ThreadPool::~ThreadPool() = default;

int64_t ThreadPool::thread_count() const noexcept {
  return static_cast<int64_t>(state_->workers.size()) + 1;
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, RangeFunction body) noexcept {
  if (count <= 0) return;
  State& state = *state_;
  state.body = &body;
  state.count = count;
  state.grain = std::max<int64_t>(grain, 1);
  state.chunks = (count - 1) / state.grain + 1;
  state.next_chunk.store(0, std::memory_order_relaxed);
  if (state.chunks == 1 || state.workers.empty()) {
    state.run_chunks();
    return;
  }
  state.gate.store(kOpen, std::memory_order_release);
  state.signal.fetch_add(1, std::memory_order_release);
  state.signal.notify_all();
  state.run_chunks();
  int32_t inside = state.gate.fetch_sub(kOpen, std::memory_order_acq_rel) - kOpen;
  while (inside != 0) {
    state.wait_while(state.gate, inside);
    inside = state.gate.load(std::memory_order_acquire);
  }
}

}  // namespace npugraph
