// SPDX-License-Identifier: Apache-2.0
// Phase two: walks the task list. Allocates nothing but for late values.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "npugraph/base/text.h"
#include "npugraph/runtime/prepared.h"
#include "npugraph/runtime/session.h"

namespace npugraph {
namespace {

int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string view_str(const TensorView& view) {
  return text(dtype_name(view.dtype), " ", dims_str(view.dims));
}

Status check_port(const PortDescription& port, const TensorView& wanted, const TensorView& given) {
  if (given.dtype != wanted.dtype || given.dims != wanted.dims)
    return fail(ErrorId::kBadTensor, text("tensor for '", port.name, "'"), view_str(given),
                view_str(wanted));
  const int64_t align = std::max<int64_t>(1, dtype_bits(given.dtype) / 8);
  if (reinterpret_cast<uintptr_t>(given.data) % static_cast<uintptr_t>(align) != 0)
    return fail(ErrorId::kMisaligned, text("address of the tensor for '", port.name, "'"),
                text(static_cast<const void*>(given.data)), text("a multiple of ", align));
  return ok();
}

bool overlap(const TensorView& a, const TensorView& b) noexcept {
  if (a.data == nullptr || b.data == nullptr || a.bytes() == 0 || b.bytes() == 0) return false;
  return a.data < b.data + b.bytes() && b.data < a.data + a.bytes();
}

}  // namespace

Status RuntimeSession::execute(Views in, Views out) noexcept {
  try {  // only late values and error messages allocate
    for (auto& plan : prepared_) {
      bool same = plan->key.size() == in.size();
      for (size_t i = 0; same && i < in.size(); ++i) same = plan->key[i] == in[i].dims;
      if (same) return execute_plan(*plan, in, out);
    }
    if (in.size() != inputs_.size())
      return fail(ErrorId::kBadInputCount, "number of inputs", text(in.size()),
                  text(inputs_.size()));
    return fail(ErrorId::kBadTensor, "these input shapes were not prepared", view_str(in[0]),
                "shapes given to prepare()");
  } catch (const std::bad_alloc&) {
    return fail(ErrorId::kOutOfMemory, "memory ran out during a run");
  }
}

Status RuntimeSession::check_ports(PreparedPlan& plan, Views in, Views out) const {
  for (size_t i = 0; i < in.size(); ++i) {
    const auto slot = static_cast<size_t>(engine_->plan().inputs[i]);
    NPU_TRY(check_port(inputs_[i], plan.slots[slot], in[i]));
    if (in[i].absent())
      return fail(ErrorId::kBadTensor, text("tensor for '", inputs_[i].name, "'"), "no data",
                  view_str(plan.slots[slot]));
  }
  if (!out.empty() && out.size() != outputs_.size())
    return fail(ErrorId::kBadInputCount, "number of outputs", text(out.size()),
                text(outputs_.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const auto index = static_cast<size_t>(engine_->plan().outputs[i]);
    if (out[i].data == nullptr || engine_->plan().slots[index].kind == SlotKind::kLate) continue;
    NPU_TRY(check_port(outputs_[i], plan.slots[index], out[i]));
  }
  // Outputs are written while inputs are still read.
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t j = 0; j < in.size(); ++j)
      if (overlap(out[i], in[j]))
        return fail(ErrorId::kBadTensor, text("memory for output '", outputs_[i].name, "'"),
                    text("memory of input '", inputs_[j].name, "'"), "memory of its own");
    for (size_t j = 0; j < i; ++j)
      if (overlap(out[i], out[j]))
        return fail(ErrorId::kBadTensor, text("memory for output '", outputs_[i].name, "'"),
                    text("memory of output '", outputs_[j].name, "'"), "memory of its own");
  }
  return ok();
}

Status RuntimeSession::bind(PreparedPlan& plan, Views in, Views out) {
  const auto& slots = engine_->plan().slots;
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    const auto index = static_cast<size_t>(slot.index);
    switch (slot.kind) {
      case SlotKind::kInput:
        plan.slots[i].data = in[index].data;
        break;
      case SlotKind::kOutput: {
        const bool own = index >= out.size() || out[index].data == nullptr;
        plan.slots[i].data = !own ? out[index].data
                             : plan.output_memory
                                 ? plan.output_memory->address() + plan.output_offset_bytes[index]
                                 : nullptr;
        break;
      }
      case SlotKind::kArena:
        plan.slots[i].data = nullptr;
        if (const DeviceState& device = devices_[static_cast<size_t>(slot.device)];
            options_.planned_memory && device.arena)
          plan.slots[i].data = device.arena->address() + plan.offset_bytes[index];
        break;
      case SlotKind::kWeight:
        plan.slots[i].data = weight_slots_[i].view().data;
        break;
      case SlotKind::kLate:
        break;
    }
  }
  return ok();
}

Status RuntimeSession::execute_plan(PreparedPlan& plan, Views in, Views out) {
  NPU_TRY(check_ports(plan, in, out));
  const int64_t start = now_ns();
  const int64_t virtual_start = host_virtual_ns_;
  for (DeviceState& device : devices_) device.busy_before_ns = device.queue->busy_ns();
  NPU_TRY(bind(plan, in, out));
  NPU_TRY(run_block(plan, 0));
  for (DeviceState& device : devices_) NPU_TRY(device.queue->synchronize());
  NPU_TRY(finish(plan, out));
  times_.wall_ns = now_ns() - start;
  times_.virtual_ns = virtual_time_ ? host_virtual_ns_ - virtual_start : 0;
  for (size_t i = 0; i < devices_.size(); ++i)
    times_.busy_ns[i].second = devices_[i].queue->busy_ns() - devices_[i].busy_before_ns;
  return ok();
}

/// Records where the outputs are; late ones are copied to the caller's buffers.
Status RuntimeSession::finish(PreparedPlan& plan, Views out) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto index = static_cast<size_t>(engine_->plan().outputs[i]);
    const TensorView& made = plan.slots[index];
    NPU_TRY(check_made(plan, engine_->plan().outputs[i]));
    if (engine_->plan().slots[index].kind == SlotKind::kLate && i < out.size() &&
        out[i].data != nullptr) {
      NPU_TRY(check_port(outputs_[i], made, out[i]));
      if (made.bytes() > 0) std::memcpy(out[i].data, made.data, static_cast<size_t>(made.bytes()));
    }
    last_outputs_[i] = made;  // dims of the same rank reuse their memory
  }
  return ok();
}

Status RuntimeSession::run_block(PreparedPlan& plan, int32_t block) {
  const auto& tasks = engine_->plan().blocks[static_cast<size_t>(block)].tasks;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (Status status = run_task(plan, block, i); !status)
      return at(text("node '", tasks[i].name, "'"), std::move(status).error());
    if (!options_.planned_memory) release_buffers(plan, tasks[i].step);
  }
  return ok();
}

Status RuntimeSession::run_task(PreparedPlan& plan, int32_t block, size_t index) {
  const Task& task = engine_->plan().blocks[static_cast<size_t>(block)].tasks[index];
  if (!options_.planned_memory)
    for (const int32_t slot : task.outputs) NPU_TRY(ensure_buffer(plan, slot));
  switch (task.kind) {
    case TaskKind::kLaunch: {
      if (virtual_time_ && task.device == 0) host_virtual_ns_ += task.cost_ns;
      if (task.late) {
        NPU_TRY(launch_late(plan, task, plan.late[static_cast<size_t>(block)][index]));
      } else {
        NPU_TRY(launch(plan, task, plan.tasks[static_cast<size_t>(block)][index]));
      }
      break;
    }
    case TaskKind::kCopy:
      NPU_TRY(copy(plan, task));
      break;
    case TaskKind::kEvent:
      return wait(task);
    case TaskKind::kBranch:
      NPU_TRY(branch(plan, task));
      break;
    case TaskKind::kLoop:
      NPU_TRY(loop(plan, task));
      break;
  }
  return observer_ ? observe_task(plan, task) : ok();
}

Status RuntimeSession::launch(PreparedPlan& plan, const Task& task, PreparedTask& prepared) {
  if (prepared.error) return *prepared.error;
  for (size_t i = 0; i < task.inputs.size(); ++i)
    if (task.inputs[i] >= 0)
      prepared.in[i].data = plan.slots[static_cast<size_t>(task.inputs[i])].data;
  for (size_t i = 0; i < task.outputs.size(); ++i)
    prepared.out[i].data = plan.slots[static_cast<size_t>(task.outputs[i])].data;
  DeviceState& device = devices_[static_cast<size_t>(task.device)];
  std::span<std::byte> scratch;
  if (const int64_t bytes = prepared.executable->scratch_bytes(); bytes > 0)
    scratch = {device.arena->address() + plan.arena_bytes[static_cast<size_t>(task.device)],
               static_cast<size_t>(bytes)};
  return device.queue->execute(*prepared.executable, prepared.in, prepared.out, scratch);
}

Status RuntimeSession::check_slots(const PreparedPlan& plan,
                                   std::initializer_list<int32_t> slots) const {
  if (plan.slot_errors.empty()) return ok();
  for (const int32_t slot : slots)
    if (const auto hit = plan.slot_errors.find(slot); hit != plan.slot_errors.end())
      return hit->second;
  return ok();
}

Status RuntimeSession::check_made(const PreparedPlan& plan, int32_t slot) const {
  if (slot < 0) return ok();
  const TensorView& view = plan.slots[static_cast<size_t>(slot)];
  if (view.data != nullptr || view.bytes() == 0) return ok();
  return fail(ErrorId::kEngineCorrupt, "a value is read before it is made",
              text("'", engine_->plan().slots[static_cast<size_t>(slot)].name, "'"),
              "tasks in an order in which every value is made first");
}

Status RuntimeSession::copy(PreparedPlan& plan, const Task& task) {
  NPU_TRY(check_slots(plan, {task.inputs[0], task.outputs[0]}));
  const TensorView& from = plan.slots[static_cast<size_t>(task.inputs[0])];
  const TensorView& to = plan.slots[static_cast<size_t>(task.outputs[0])];
  if (task.device != 0) return devices_[static_cast<size_t>(task.device)].queue->copy_in(to, from);
  return devices_[static_cast<size_t>(task.other_device)].queue->copy_out(to, from);
}

Status RuntimeSession::wait(const Task& task) {
  Queue& waiting = *devices_[static_cast<size_t>(task.device)].queue;
  Queue& waited_for = *devices_[static_cast<size_t>(task.other_device)].queue;
  if (task.other_device == 0)  // the host's clock is simulated along with the devices'
    return waiting.wait(virtual_time_ ? EventRecord{host_virtual_ns_} : waited_for.record());
  const EventRecord event = waited_for.record();
  if (task.device != 0) return waiting.wait(event);
  NPU_TRY(waited_for.synchronize());
  if (virtual_time_) host_virtual_ns_ = std::max(host_virtual_ns_, event.time_ns);
  return ok();
}

Status RuntimeSession::ensure_buffer(PreparedPlan& plan, int32_t slot) {
  const Slot& row = engine_->plan().slots[static_cast<size_t>(slot)];
  if (row.kind != SlotKind::kArena) return ok();
  auto& memory = plan.buffers[static_cast<size_t>(row.index)];
  if (!memory) {
    NPU_LET(memory, devices_[static_cast<size_t>(row.device)].driver->allocate(
                        plan.size_bytes[static_cast<size_t>(row.index)], 64));
  }
  plan.slots[static_cast<size_t>(slot)].data = memory->address();
  return ok();
}

void RuntimeSession::release_buffers(PreparedPlan& plan, int64_t step) {
  if (step >= static_cast<int64_t>(plan.release_at.size())) return;
  for (const int64_t buffer : plan.release_at[static_cast<size_t>(step)])
    plan.buffers[static_cast<size_t>(buffer)].reset();
}

Status RuntimeSession::observe_task(PreparedPlan& plan, const Task& task) {
  std::vector<Tensor> copies;
  std::vector<TensorView> views;
  for (const int32_t slot : task.outputs) {
    const TensorView& view = plan.slots[static_cast<size_t>(slot)];
    if (task.device == 0) {
      views.push_back(view);
      continue;
    }
    NPU_LET(Tensor tensor, Tensor::zeros(view.dtype, view.dims));
    NPU_TRY(
        devices_[static_cast<size_t>(task.device)].queue->copy_out(tensor.mutable_view(), view));
    views.push_back(tensor.view());
    copies.push_back(std::move(tensor));
  }
  observer_(task, views);
  return ok();
}

}  // namespace npugraph
