// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/memory.h"

#include <algorithm>

#include "npugraph/base/checked.h"
#include "npugraph/plan/arena.h"

namespace npugraph {
namespace {

Slot& slot_of(TaskPlan& plan, int32_t index) { return plan.slots[static_cast<size_t>(index)]; }

/// Only tensors of the same size take over, so one expression usually serves a whole buffer.
void add_bytes(PlanBuffer& buffer, const Dim& bytes) {
  if (std::find(buffer.bytes.begin(), buffer.bytes.end(), bytes) == buffer.bytes.end())
    buffer.bytes.push_back(bytes);
}

int64_t align_of(const TensorType& type) {
  // A size that is not known yet may be large.
  const auto bytes = type.bytes().known();
  return bytes ? tensor_align_bytes(*bytes, dtype_bits(type.dtype)) : 64;
}

Status place_device(TaskPlan& plan, int32_t device) {
  std::vector<Lifetime> lives;
  std::vector<PlanBuffer*> rows;
  for (PlanBuffer& buffer : plan.buffers) {
    if (buffer.device != device) continue;
    int64_t largest = 0;
    for (const Dim& bytes : buffer.bytes) {
      if (!bytes.is_static()) return ok();  // planned by prepare()
      largest = std::max(largest, bytes.value());
    }
    lives.push_back({buffer.first_step, buffer.last_step, largest, buffer.align_bytes});
    rows.push_back(&buffer);
  }
  NPU_LET(const ArenaPlan arena, plan_arena(lives));
  for (size_t i = 0; i < rows.size(); ++i) rows[i]->offset_bytes = arena.offset_bytes[i];
  plan.arena_bytes[static_cast<size_t>(device)] = arena.arena_bytes;
  plan.peak_live_bytes[static_cast<size_t>(device)] = arena.peak_live_bytes;
  return ok();
}

/// Sum of all arena slots, or -1 when one is not a number.
Result<int64_t> sum_of_slots(const TaskPlan& plan, const std::map<int32_t, SlotLife>& lives) {
  int64_t total = 0;
  for (const auto& [slot, life] : lives) {
    const auto bytes = plan.slots[static_cast<size_t>(slot)].type.bytes().known();
    if (!bytes) return int64_t{-1};
    const auto next = checked_add(total, *bytes);
    if (!next) return fail(ErrorId::kSizeOverflow, "the activations do not fit in 64 bits");
    total = *next;
  }
  return total;
}

}  // namespace

Status plan_memory(TaskPlan& plan, const std::map<int32_t, SlotLife>& lives,
                   const std::vector<TakeOver>& take_overs, bool reuse) {
  int64_t last_step = 0;
  for (const auto& [slot, life] : lives) last_step = std::max(last_step, life.last);
  std::map<int32_t, const TakeOver*> take_over_of;
  if (reuse)
    for (const TakeOver& row : take_overs) take_over_of[row.output] = &row;

  // In order of first use, so that a buffer exists before it is taken over.
  std::vector<int32_t> order;
  for (const auto& [slot, life] : lives) order.push_back(slot);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return lives.at(a).first < lives.at(b).first; });
  for (const int32_t index : order) {
    Slot& slot = slot_of(plan, index);
    const SlotLife life = reuse ? lives.at(index) : SlotLife{0, last_step};
    const Dim bytes = slot.type.bytes();
    int64_t buffer_index = -1;
    if (const auto hit = take_over_of.find(index); hit != take_over_of.end()) {
      for (const int32_t candidate : hit->second->candidates) {
        const Slot& input = slot_of(plan, candidate);
        const bool free =
            input.kind == SlotKind::kArena && input.device == slot.device &&
            lives.at(candidate).last == hit->second->step && input.type.bytes() == bytes &&
            plan.buffers[static_cast<size_t>(input.index)].last_step == hit->second->step;
        if (!free) continue;
        buffer_index = input.index;
        break;
      }
    }
    if (buffer_index < 0) {
      buffer_index = static_cast<int64_t>(plan.buffers.size());
      plan.buffers.push_back({slot.device, {}, 1, life.first, life.last, -1});
    }
    PlanBuffer& buffer = plan.buffers[static_cast<size_t>(buffer_index)];
    buffer.last_step = std::max(buffer.last_step, life.last);
    buffer.align_bytes = std::max(buffer.align_bytes, align_of(slot.type));
    add_bytes(buffer, bytes);
    slot.index = buffer_index;
  }
  plan.arena_bytes.assign(plan.devices.size(), -1);
  plan.peak_live_bytes.assign(plan.devices.size(), -1);
  for (int32_t device = 0; device < static_cast<int32_t>(plan.devices.size()); ++device)
    NPU_TRY(place_device(plan, device));
  NPU_LET(plan.sum_bytes, sum_of_slots(plan, lives));
  return ok();
}

}  // namespace npugraph
