// SPDX-License-Identifier: Apache-2.0
#include "npugraph/plan/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace npugraph {
namespace {

/// Pairs that live at one step must not share a byte.
void expect_no_overlap(const std::vector<Lifetime>& lives, const ArenaPlan& plan) {
  for (size_t i = 0; i < lives.size(); ++i) {
    EXPECT_EQ(plan.offset_bytes[i] % lives[i].align_bytes, 0);
    EXPECT_LE(plan.offset_bytes[i] + lives[i].size_bytes, plan.arena_bytes);
    for (size_t j = 0; j < i; ++j) {
      const bool together = lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
      const bool apart = plan.offset_bytes[i] + lives[i].size_bytes <= plan.offset_bytes[j] ||
                         plan.offset_bytes[j] + lives[j].size_bytes <= plan.offset_bytes[i];
      EXPECT_TRUE(!together || apart || lives[i].size_bytes == 0 || lives[j].size_bytes == 0);
    }
  }
}

TEST(arena, hand_worked_chain_uses_two_buffers) {
  // a -> b -> c -> d, each read once: never more than two alive.
  const std::vector<Lifetime> lives = {
      {0, 1, 100, 1}, {1, 2, 60, 1}, {2, 3, 100, 1}, {3, 3, 60, 1}};
  const auto plan = plan_arena(lives);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->peak_live_bytes, 160);
  EXPECT_EQ(plan->arena_bytes, 160);
  expect_no_overlap(lives, *plan);
}

/// 1000 random graphs, the arena at most 1.10 times the lower bound in the median.
TEST(arena, thousand_random_graphs_stay_near_the_bound_without_overlap) {
  std::mt19937 random(11);
  std::vector<double> ratios;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<Lifetime> lives;
    const int count = 5 + static_cast<int>(random() % 60);
    for (int step = 0; step < count; ++step) {
      const int64_t duration = 1 + static_cast<int64_t>(random() % (random() % 8 == 0 ? 20 : 3));
      const int64_t size_bytes = static_cast<int64_t>(random() % 5000) * 64;
      lives.push_back({step, step + duration, size_bytes, 64});
    }
    const auto plan = plan_arena(lives);
    ASSERT_TRUE(plan);
    expect_no_overlap(lives, *plan);
    ASSERT_GE(plan->arena_bytes, plan->peak_live_bytes);
    ratios.push_back(static_cast<double>(plan->arena_bytes) /
                     static_cast<double>(std::max<int64_t>(plan->peak_live_bytes, 1)));
  }
  std::nth_element(ratios.begin(), ratios.begin() + 500, ratios.end());
  EXPECT_LE(ratios[500], 1.10);
}

TEST(arena, equal_input_gives_equal_plans) {
  const std::vector<Lifetime> lives = {{0, 2, 64, 64}, {1, 3, 64, 64}, {2, 4, 64, 64}};
  EXPECT_EQ(plan_arena(lives)->offset_bytes, plan_arena(lives)->offset_bytes);
}

TEST(arena, refuses_a_plan_past_the_limit) {
  const std::vector<Lifetime> lives = {{0, 1, 100, 1}};
  EXPECT_EQ(plan_arena(lives, 99).error().id, ErrorId::kOutOfMemory);
  const std::vector<Lifetime> huge = {{0, 1, std::numeric_limits<int64_t>::max(), 64}};
  EXPECT_EQ(plan_arena(huge).error().id, ErrorId::kSizeOverflow);
}

TEST(arena, only_large_tensors_are_aligned_to_lines) {
  EXPECT_EQ(tensor_align_bytes(kLarge_bytes, 32), 64);
  EXPECT_EQ(tensor_align_bytes(12, 32), 4);
  EXPECT_EQ(tensor_align_bytes(3, 4), 1);
}

}  // namespace
}  // namespace npugraph
