// SPDX-License-Identifier: Apache-2.0
#include "npugraph/plan/pool.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace npugraph {
namespace {

/// A million random allocations and releases; nothing overlaps, all merges again.
TEST(pool, a_million_random_operations_leave_one_block) {
  std::mt19937 random(3);
  Pool pool(int64_t{1} << 24);
  std::map<int64_t, int64_t> held;  // offset -> bytes
  for (int step = 0; step < 1'000'000; ++step) {
    if (random() % 2 == 0 && held.size() < 500) {
      const auto size_bytes = static_cast<int64_t>(random() % 40'000);
      const int64_t align = int64_t{1} << (random() % 8);
      const auto offset = pool.allocate(size_bytes, align);
      if (!offset) continue;
      ASSERT_EQ(*offset % align, 0);
      const auto next = held.lower_bound(*offset);
      const int64_t end = *offset + std::max<int64_t>(size_bytes, 1);
      ASSERT_TRUE(next == held.end() || end <= next->first);
      ASSERT_TRUE(next == held.begin() ||
                  std::prev(next)->first + std::prev(next)->second <= *offset);
      held[*offset] = end - *offset;
    } else if (!held.empty()) {
      auto block = held.lower_bound(static_cast<int64_t>(random() % (1u << 24)));
      if (block == held.end()) block = held.begin();
      ASSERT_TRUE(pool.free(block->first));
      held.erase(block);
    }
  }
  for (const auto& [offset, bytes] : held) ASSERT_TRUE(pool.free(offset));
  EXPECT_EQ(pool.used_bytes(), 0);
  EXPECT_EQ(pool.free_block_count(), 1);
  EXPECT_EQ(pool.largest_free_bytes(), pool.capacity_bytes());
}

TEST(pool, says_when_it_is_full_and_refuses_a_double_free) {
  Pool pool(100);
  const auto all = pool.allocate(100, 1);
  ASSERT_TRUE(all);
  EXPECT_FALSE(pool.allocate(1, 1));
  EXPECT_TRUE(pool.free(*all));
  EXPECT_FALSE(pool.free(*all));
}

}  // namespace
}  // namespace npugraph
