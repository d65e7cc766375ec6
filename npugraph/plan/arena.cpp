// SPDX-License-Identifier: Apache-2.0
#include "npugraph/plan/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

bool overlap_in_time(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Lowest cost place for buffer `index` among `placed` (sorted by offset, all alive with it): the
/// smallest gap that holds it, else the end.
int64_t best_fit(const Lifetime& buffer, std::span<const Lifetime> buffers,
                 std::span<const int64_t> offsets, std::span<const size_t> neighbours) {
  int64_t best = -1;
  int64_t best_gap = std::numeric_limits<int64_t>::max();
  int64_t free_from = 0;
  for (const size_t neighbour : neighbours) {
    const int64_t start = round_up(free_from, buffer.align_bytes);
    const int64_t gap = offsets[neighbour] - free_from;
    if (start + buffer.size_bytes <= offsets[neighbour] && gap < best_gap) {
      best = start;
      best_gap = gap;
    }
    free_from = std::max(free_from, offsets[neighbour] + buffers[neighbour].size_bytes);
  }
  return best >= 0 ? best : round_up(free_from, buffer.align_bytes);
}

ArenaPlan place_in_order(std::span<const Lifetime> buffers, std::span<const size_t> order) {
  ArenaPlan plan;
  plan.offset_bytes.assign(buffers.size(), 0);
  std::vector<size_t> placed;  // sorted by offset
  std::vector<size_t> neighbours;
  const auto by_offset = [&](size_t a, size_t b) {
    return plan.offset_bytes[a] < plan.offset_bytes[b];
  };
  for (const size_t index : order) {
    if (buffers[index].size_bytes == 0) continue;
    neighbours.clear();
    for (const size_t other : placed)
      if (overlap_in_time(buffers[index], buffers[other])) neighbours.push_back(other);
    const int64_t offset = best_fit(buffers[index], buffers, plan.offset_bytes, neighbours);
    plan.offset_bytes[index] = offset;
    placed.insert(std::upper_bound(placed.begin(), placed.end(), index, by_offset), index);
    plan.arena_bytes = std::max(plan.arena_bytes, offset + buffers[index].size_bytes);
  }
  return plan;
}

/// Places again and again, each time with the buffer at the arena's top moved to the front of the
/// order, as long as that may help and is worth the time.
void lower_the_top(std::span<const Lifetime> buffers, std::vector<size_t> order, int64_t peak,
                   ArenaPlan& best) {
  constexpr int64_t kMaxSteps = 20'000'000;  // pairs of buffers looked at: some 20 ms
  const auto count = static_cast<int64_t>(buffers.size());
  const int64_t rounds = std::min<int64_t>(64, kMaxSteps / std::max<int64_t>(count * count, 1));
  ArenaPlan plan = place_in_order(buffers, order);
  for (int64_t round = 0; round < rounds && best.arena_bytes > peak; ++round) {
    const auto top = std::find_if(order.begin(), order.end(), [&](size_t i) {
      return buffers[i].size_bytes > 0 &&
             plan.offset_bytes[i] + buffers[i].size_bytes == plan.arena_bytes;
    });
    if (top == order.begin() || top == order.end()) return;
    std::rotate(order.begin(), top, top + 1);
    plan = place_in_order(buffers, order);
    if (plan.arena_bytes < best.arena_bytes) best = plan;
  }
}

}  // namespace

int64_t peak_live_bytes(std::span<const Lifetime> buffers) {
  std::map<int64_t, int64_t> change;  // step -> bytes that begin, less those that ended before it
  for (const Lifetime& buffer : buffers) {
    change[buffer.first] += buffer.size_bytes;
    change[buffer.last + 1] -= buffer.size_bytes;
  }
  int64_t live = 0, peak = 0;
  for (const auto& [step, bytes] : change) peak = std::max(peak, live += bytes);
  return peak;
}

Result<ArenaPlan> plan_arena(std::span<const Lifetime> buffers, int64_t limit_bytes) {
  int64_t total = 0;
  for (const Lifetime& buffer : buffers) {
    constexpr int64_t kMax_bytes = std::numeric_limits<int64_t>::max() / 4;
    const auto next = buffer.size_bytes > kMax_bytes
                          ? std::nullopt
                          : checked_add(total, buffer.size_bytes + buffer.align_bytes);
    if (!next) return fail(ErrorId::kSizeOverflow, "the buffers do not fit in 64 bits of address");
    total = *next;
  }
  const int64_t peak = peak_live_bytes(buffers);
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto weight = [&](size_t i, int key) -> double {
    const auto size = static_cast<double>(buffers[i].size_bytes);
    if (key == 0) return size;
    if (key == 1) return size * static_cast<double>(buffers[i].last - buffers[i].first + 1);
    return -static_cast<double>(buffers[i].first);
  };
  ArenaPlan best;
  for (int key = 0; key < 3; ++key) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return weight(a, key) > weight(b, key); });
    ArenaPlan plan = place_in_order(buffers, order);
    if (key == 0 || plan.arena_bytes < best.arena_bytes) best = std::move(plan);
    lower_the_top(buffers, order, peak, best);
    if (best.arena_bytes == peak) break;
    std::iota(order.begin(), order.end(), size_t{0});
  }
  best.peak_live_bytes = peak;
  if (best.arena_bytes > limit_bytes)
    return fail(ErrorId::kOutOfMemory, "the memory plan passes its limit",
                text(best.arena_bytes, " bytes"), text("at most ", limit_bytes, " bytes"));
  return best;
}

int64_t tensor_align_bytes(int64_t size_bytes, int64_t element_bits) {
  if (size_bytes >= kLarge_bytes) return 64;
  return std::max<int64_t>(1, element_bits / 8);
}

}  // namespace npugraph
