// SPDX-License-Identifier: Apache-2.0
// Phase one: from input shapes to everything that execute() needs.
#include <algorithm>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/plan/arena.h"
#include "npugraph/runtime/prepared.h"
#include "npugraph/runtime/session.h"

namespace npugraph {
namespace {

constexpr int64_t kArenaAlign_bytes = 64;

Status check_facts(const TaskPlan& plan, const Dim::Bindings& bindings) {
  for (const PlanFact& fact : plan.facts) {
    const auto hit = bindings.find(fact.symbol);
    if (hit == bindings.end()) continue;
    const int64_t value = hit->second;
    if (value < fact.min || value > fact.max || value % std::max<int64_t>(fact.multiple_of, 1) != 0)
      return fail(ErrorId::kShapeMismatch,
                  text("dimension '", fact.symbol, "' is outside the range it was compiled for"),
                  text(value),
                  text(fact.min, "..", fact.max,
                       fact.multiple_of > 1 ? text(", a multiple of ", fact.multiple_of) : ""));
  }
  return ok();
}

/// Slots that every run touches; the others belong to branches and loop bodies alone.
std::vector<bool> always_touched(const TaskPlan& plan) {
  std::vector<bool> touched(plan.slots.size(), false);
  const auto touch = [&](int32_t slot) {
    if (slot >= 0) touched[static_cast<size_t>(slot)] = true;
  };
  for (const auto* list : {&plan.inputs, &plan.outputs})
    for (const int32_t slot : *list) touch(slot);
  for (const Task& task : plan.blocks[0].tasks) {
    for (const auto* list : {&task.inputs, &task.outputs})
      for (const int32_t slot : *list) touch(slot);
    for (const Move& move : task.enter_moves) touch(move.to);
  }
  return touched;
}

}  // namespace

Result<std::unique_ptr<PreparedPlan>> RuntimeSession::build(std::span<const Dims> input_dims) {
  auto plan = std::make_unique<PreparedPlan>();
  plan->key.assign(input_dims.begin(), input_dims.end());
  NPU_TRY(evaluate_shapes(*plan, input_dims));
  NPU_TRY(place_buffers(*plan));
  NPU_TRY(prepare_tasks(*plan));
  NPU_TRY(reserve(*plan));
  return plan;
}

Status RuntimeSession::evaluate_shapes(PreparedPlan& plan, std::span<const Dims> input_dims) const {
  if (input_dims.size() != inputs_.size())
    return fail(ErrorId::kBadInputCount, "number of inputs", text(input_dims.size()),
                text(inputs_.size()));
  Dim::Bindings bindings;
  // Twice: the second round checks dims whose symbols a later input has bound.
  for (int round = 0; round < 2; ++round)
    for (size_t i = 0; i < inputs_.size(); ++i)
      NPU_TRY_AT(text("input '", inputs_[i].name, "'"),
                 bind_input(inputs_[i].type, input_dims[i], bindings));
  NPU_TRY(check_facts(engine_->plan(), bindings));
  const std::vector<bool> always = always_touched(engine_->plan());
  for (const Slot& slot : engine_->plan().slots) {
    const auto index = static_cast<int32_t>(plan.slots.size());
    plan.slots.push_back({slot.type.dtype, {}, nullptr});
    if (is_late(slot.type.shape)) continue;
    auto dims = evaluate_dims(slot.type.shape, bindings);
    Status fits = dims ? ok() : Status(dims.error());
    if (dims)
      if (const auto bytes = dense_bytes(slot.type.dtype, *dims); !bytes) fits = bytes.error();
    if (fits) {
      plan.slots.back().dims = *std::move(dims);
      continue;
    }
    Error error = at(text("value '", slot.name, "'"), std::move(fits).error());
    if (always[static_cast<size_t>(index)]) return error;
    plan.slot_errors.emplace(index, std::move(error));
  }
  for (size_t i = 0; i < inputs_.size(); ++i)
    plan.slots[static_cast<size_t>(engine_->plan().inputs[i])].dims = input_dims[i];
  for (const PlanBuffer& buffer : engine_->plan().buffers) {
    int64_t largest = 0;
    for (const Dim& bytes : buffer.bytes) {
      // A slot that cannot be has no size: what needs it fails when it is run.
      if (const auto value = bytes.evaluate(bindings)) largest = std::max(largest, *value);
    }
    plan.size_bytes.push_back(largest);
  }
  return ok();
}

Status RuntimeSession::place_buffers(PreparedPlan& plan) const {
  const TaskPlan& task_plan = engine_->plan();
  plan.offset_bytes.resize(task_plan.buffers.size());
  plan.arena_bytes.assign(devices_.size(), 0);
  plan.scratch_bytes.assign(devices_.size(), 0);
  for (size_t device = 0; device < devices_.size(); ++device) {
    std::vector<Lifetime> lives;
    std::vector<size_t> indices;
    for (size_t i = 0; i < task_plan.buffers.size(); ++i) {
      const PlanBuffer& buffer = task_plan.buffers[i];
      if (buffer.device != static_cast<int32_t>(device)) continue;
      plan.offset_bytes[i] = buffer.offset_bytes;
      lives.push_back(
          {buffer.first_step, buffer.last_step, plan.size_bytes[i], buffer.align_bytes});
      indices.push_back(i);
    }
    plan.arena_bytes[device] = task_plan.arena_bytes[device];
    if (plan.arena_bytes[device] >= 0) continue;  // placed at compile time
    NPU_LET(const ArenaPlan arena, plan_arena(lives));
    for (size_t i = 0; i < indices.size(); ++i)
      plan.offset_bytes[indices[i]] = arena.offset_bytes[i];
    plan.arena_bytes[device] = arena.arena_bytes;
  }
  if (options_.planned_memory) return ok();
  plan.buffers.resize(task_plan.buffers.size());
  for (size_t i = 0; i < task_plan.buffers.size(); ++i) {
    const auto step = static_cast<size_t>(task_plan.buffers[i].last_step);
    if (step >= plan.release_at.size()) plan.release_at.resize(step + 1);
    plan.release_at[step].push_back(static_cast<int64_t>(i));
  }
  return ok();
}

Status RuntimeSession::prepare_tasks(PreparedPlan& plan) const {
  const TaskPlan& task_plan = engine_->plan();
  for (size_t block = 0; block < task_plan.blocks.size(); ++block) {
    std::vector<PreparedTask> rows;
    for (const Task& task : task_plan.blocks[block].tasks) {
      PreparedTask row;
      if (task.kind == TaskKind::kLaunch && !task.late) {
        if (Status status = prepare_task(plan, task, row); !status) {
          if (block == 0) return at(text("node '", task.name, "'"), std::move(status).error());
          row.error = std::move(status).error();
        }
      }
      rows.push_back(std::move(row));
    }
    plan.late.emplace_back(rows.size());
    plan.tasks.push_back(std::move(rows));
  }
  return ok();
}

Status RuntimeSession::prepare_task(PreparedPlan& plan, const Task& task, PreparedTask& row) const {
  for (const auto* list : {&task.inputs, &task.outputs})
    for (const int32_t slot : *list)
      if (const auto hit = plan.slot_errors.find(slot); hit != plan.slot_errors.end())
        return hit->second;
  std::vector<TensorType> in_types, out_types;
  std::vector<const TensorType*> in;
  in_types.reserve(task.inputs.size());
  for (const int32_t slot : task.inputs) {
    if (slot < 0) {
      row.in.push_back(no_tensor());
      in.push_back(nullptr);
      continue;
    }
    const TensorView& view = plan.slots[static_cast<size_t>(slot)];
    in_types.push_back({view.dtype, Shape(view.dims)});
    in.push_back(&in_types.back());
    row.in.push_back(view);
  }
  for (const int32_t slot : task.outputs) {
    const TensorView& view = plan.slots[static_cast<size_t>(slot)];
    out_types.push_back({view.dtype, Shape(view.dims)});
    row.out.push_back(view);
  }
  NPU_LET(row.executable, programs_[static_cast<size_t>(task.program)]->prepare(in, out_types));
  int64_t& scratch = plan.scratch_bytes[static_cast<size_t>(task.device)];
  scratch = std::max(scratch, row.executable->scratch_bytes());
  return ok();
}

Status RuntimeSession::reserve(PreparedPlan& plan) {
  for (size_t device = 0; device < devices_.size(); ++device) {
    DeviceState& state = devices_[device];
    const int64_t arena = options_.planned_memory ? plan.arena_bytes[device] : 0;
    plan.arena_bytes[device] = round_up(arena, kArenaAlign_bytes);
    const auto total = checked_add(plan.arena_bytes[device], plan.scratch_bytes[device]);
    if (!total) return fail(ErrorId::kSizeOverflow, "the arena does not fit in 64 bits");
    if (*total == 0 || (state.arena && state.arena->size_bytes() >= *total)) continue;
    state.arena.reset();  // never hold the old and the new one at once
    NPU_LET(state.arena, state.driver->allocate(*total, kArenaAlign_bytes));
  }
  int64_t output_bytes = 0;
  for (const int32_t index : engine_->plan().outputs) {
    const Slot& slot = engine_->plan().slots[static_cast<size_t>(index)];
    plan.output_offset_bytes.push_back(output_bytes);
    if (slot.kind == SlotKind::kOutput)
      output_bytes += round_up(plan.slots[static_cast<size_t>(index)].bytes(), kArenaAlign_bytes);
  }
  if (output_bytes > 0) {
    NPU_LET(plan.output_memory, devices_[0].driver->allocate(output_bytes, kArenaAlign_bytes));
  }
  return ok();
}

}  // namespace npugraph
