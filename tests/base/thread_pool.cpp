// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

namespace npugraph {
namespace {

std::unique_ptr<ThreadPool> make_pool(int64_t threads) {
  auto pool = ThreadPool::create(threads);
  EXPECT_TRUE(pool.has_value());
  return std::move(*pool);
}

TEST(ThreadPool, counts_the_caller) {
  EXPECT_EQ(make_pool(1)->thread_count(), 1);
  EXPECT_EQ(make_pool(5)->thread_count(), 5);
}

TEST(ThreadPool, rejects_a_count_outside_1_to_256) {
  for (const int64_t threads :
       {int64_t{0}, int64_t{-1}, int64_t{257}, std::numeric_limits<int64_t>::max()}) {
    const auto pool = ThreadPool::create(threads);
    ASSERT_FALSE(pool.has_value()) << threads;
    EXPECT_EQ(pool.error().id, ErrorId::kBadOption);
  }
}

TEST(ThreadPool, covers_every_item_exactly_once) {
  for (const int64_t threads : {1, 2, 3, 8}) {
    const auto pool = make_pool(threads);
    for (const int64_t count : {1, 2, 7, 64, 1000, 4097}) {
      for (const int64_t grain : {1, 3, 64, 5000}) {
        std::vector<int> hits(static_cast<size_t>(count), 0);
        std::atomic<bool> within = true;
        pool->parallel_for(count, grain, [&](int64_t begin, int64_t end) {
          if (begin < 0 || end > count || end - begin > grain || begin >= end) within = false;
          for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
        });
        EXPECT_TRUE(within);
        EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), count)
            << threads << " threads, count " << count << ", grain " << grain;
      }
    }
  }
}

TEST(ThreadPool, nothing_to_do_calls_nothing) {
  const auto pool = make_pool(2);
  int calls = 0;
  pool->parallel_for(0, 1, [&](int64_t, int64_t) { ++calls; });
  pool->parallel_for(-5, 1, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST(ThreadPool, a_grain_below_one_is_one) {
  const auto pool = make_pool(2);
  std::atomic<int64_t> items = 0;
  pool->parallel_for(10, 0, [&](int64_t begin, int64_t end) { items += end - begin; });
  EXPECT_EQ(items, 10);
}

TEST(ThreadPool, huge_counts_do_not_overflow) {
  const auto pool = make_pool(2);
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> last = 0;
  pool->parallel_for(kHuge, kHuge / 2, [&](int64_t, int64_t end) {
    int64_t seen = last.load();
    while (seen < end && !last.compare_exchange_weak(seen, end)) {
    }
  });
  EXPECT_EQ(last, kHuge);
}

// What a loop wrote is seen by the next one and by the caller, however the loops are spaced: back
// to back (workers spin) and after a rest (workers sleep).
TEST(ThreadPool, many_loops_in_a_row_keep_order) {
  const auto pool = make_pool(4);
  std::vector<int64_t> values(257, 0);
  constexpr int64_t kLoops = 3000;
  for (int64_t loop = 0; loop < kLoops; ++loop) {
    pool->parallel_for(257, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
    });
    if (loop % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (int64_t i = 0; i < 257; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], i * kLoops);
}

TEST(ThreadPool, is_destroyed_right_after_a_loop) {
  for (int round = 0; round < 200; ++round) {
    const auto pool = make_pool(3);
    std::atomic<int64_t> items = 0;
    pool->parallel_for(9, 1, [&](int64_t begin, int64_t end) { items += end - begin; });
    EXPECT_EQ(items, 9);
  }
}

}  // namespace
}  // namespace npugraph
