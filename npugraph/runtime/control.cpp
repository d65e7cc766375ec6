// SPDX-License-Identifier: Apache-2.0
// Branches, loops, and values whose size is known only at run time.
#include <algorithm>
#include <cstring>
#include <limits>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/runtime/prepared.h"
#include "npugraph/runtime/session.h"

namespace npugraph {
namespace {

Status check_scalar(const TensorView& view, std::string_view what) {
  if (view.elements() == 1 && view.data != nullptr) return ok();
  return fail(ErrorId::kShapeMismatch, std::string(what), dims_str(view.dims), "one element");
}

}  // namespace

/// Gives a late slot its dims and room for them; what it held is kept as far as it fits.
Status RuntimeSession::resize_late(PreparedPlan& plan, int32_t slot, const Dims& dims,
                                   int64_t reserve_bytes) {
  TensorView& view = plan.slots[static_cast<size_t>(slot)];
  NPU_LET(const int64_t bytes, dense_bytes(view.dtype, dims));
  LateBuffer& buffer = late_[static_cast<size_t>(slot)];
  const int64_t held = buffer.memory ? buffer.memory->size_bytes() : 0;
  if (bytes > held || !buffer.memory) {
    const int64_t wanted = std::max<int64_t>({bytes, reserve_bytes, 64});
    if (wanted > options_.late_limit_bytes - (late_bytes_ - held))
      return fail(ErrorId::kLatePoolFull, "memory for sizes known only at run time",
                  text(wanted, " bytes more"), text("at most ", options_.late_limit_bytes));
    NPU_LET(auto memory, devices_[0].driver->allocate(wanted, 64));
    if (held > 0)
      std::memcpy(memory->address(), buffer.memory->address(), static_cast<size_t>(held));
    late_bytes_ += wanted - held;
    buffer.memory = std::move(memory);
  }
  view.dims = dims;
  view.data = buffer.memory->address();
  return ok();
}

Status RuntimeSession::launch_late(PreparedPlan& plan, const Task& task,
                                   std::vector<LateExecutable>& known) {
  const auto& slots = engine_->plan().slots;
  const DeviceProgram& program = *programs_[static_cast<size_t>(task.program)];
  std::vector<TensorView> in;
  std::vector<TensorType> in_types(task.inputs.size());
  std::vector<const TensorType*> in_pointers;
  std::vector<Dims> key;
  for (size_t i = 0; i < task.inputs.size(); ++i) {
    const int32_t slot = task.inputs[i];
    NPU_TRY(check_made(plan, slot));
    in.push_back(slot < 0 ? no_tensor() : plan.slots[static_cast<size_t>(slot)]);
    in_types[i] = {in.back().dtype, Shape(in.back().dims)};
    in_pointers.push_back(slot < 0 ? nullptr : &in_types[i]);
    key.push_back(in.back().dims);
  }
  NPU_LET(const std::vector<TensorType> out_types,
          program.infer(in, static_cast<int64_t>(task.outputs.size())));
  for (size_t i = 0; i < task.outputs.size(); ++i) {
    const int32_t slot = task.outputs[i];
    const Dims dims = *out_types[i].shape.known();
    const TensorView& planned = plan.slots[static_cast<size_t>(slot)];
    key.push_back(dims);
    if (slots[static_cast<size_t>(slot)].kind == SlotKind::kLate) {
      NPU_TRY(resize_late(plan, slot, dims, 0));
    } else if (planned.dims != dims) {
      return fail(ErrorId::kShapeMismatch, text("output ", i, " has an unexpected shape"),
                  dims_str(dims), dims_str(planned.dims));
    }
    if (out_types[i].dtype != planned.dtype)
      return fail(ErrorId::kDTypeMismatch, text("output ", i, " has an unexpected dtype"),
                  out_types[i].str(), std::string(dtype_name(planned.dtype)));
  }
  auto hit = std::find_if(known.begin(), known.end(),
                          [&](const LateExecutable& row) { return row.key == key; });
  if (hit == known.end()) {
    LateExecutable fresh;
    fresh.key = std::move(key);
    NPU_LET(fresh.task.executable, program.prepare(in_pointers, out_types));
    fresh.task.in = in;
    for (const int32_t slot : task.outputs)
      fresh.task.out.push_back(plan.slots[static_cast<size_t>(slot)]);
    if (known.size() >= kMaxLateExecutables) known.pop_back();
    known.insert(known.begin(), std::move(fresh));
    hit = known.begin();
  } else {
    std::rotate(known.begin(), hit, hit + 1);
    hit = known.begin();
  }
  for (size_t i = 0; i < in.size(); ++i) hit->task.in[i].data = in[i].data;
  for (size_t i = 0; i < task.outputs.size(); ++i)
    hit->task.out[i].data = plan.slots[static_cast<size_t>(task.outputs[i])].data;
  NPU_LET(const std::span<std::byte> scratch, late_scratch(hit->task.executable->scratch_bytes()));
  return devices_[0].queue->execute(*hit->task.executable, hit->task.in, hit->task.out, scratch);
}

Result<std::span<std::byte>> RuntimeSession::late_scratch(int64_t bytes) {
  if (bytes == 0) return std::span<std::byte>();
  if (!late_scratch_ || late_scratch_->size_bytes() < bytes) {
    late_scratch_.reset();
    NPU_LET(late_scratch_, devices_[0].driver->allocate(bytes, 64));
  }
  return std::span(late_scratch_->address(), static_cast<size_t>(bytes));
}

Status RuntimeSession::move(PreparedPlan& plan, const Move& move) {
  NPU_TRY(check_slots(plan, {move.from, move.to}));
  NPU_TRY(check_made(plan, move.from));
  if (!options_.planned_memory) NPU_TRY(ensure_buffer(plan, move.to));
  const TensorView& from = plan.slots[static_cast<size_t>(move.from)];
  TensorView& to = plan.slots[static_cast<size_t>(move.to)];
  if (engine_->plan().slots[static_cast<size_t>(move.to)].kind == SlotKind::kLate) {
    NPU_TRY(resize_late(plan, move.to, from.dims, 0));
  } else if (to.dims != from.dims) {
    return fail(ErrorId::kShapeMismatch, "a value of control flow has an unexpected shape",
                dims_str(from.dims), dims_str(to.dims));
  }
  if (from.bytes() > 0) std::memcpy(to.data, from.data, static_cast<size_t>(from.bytes()));
  return ok();
}

Status RuntimeSession::branch(PreparedPlan& plan, const Task& task) {
  const TensorView& predicate = plan.slots[static_cast<size_t>(task.predicate)];
  NPU_TRY(check_scalar(predicate, "the condition of a branch"));
  const bool taken = predicate.load_int(0) != 0;
  NPU_TRY(run_block(plan, task.blocks[taken ? 0 : 1]));
  for (const Move& row : taken ? task.then_moves : task.else_moves) NPU_TRY(move(plan, row));
  return ok();
}

/// Row `row` of a scan output: its leading dimension counts the passes of the loop.
Status RuntimeSession::append_row(PreparedPlan& plan, const Move& move, int64_t row) {
  NPU_TRY(check_slots(plan, {move.from, move.to}));
  NPU_TRY(check_made(plan, move.from));
  const TensorView& from = plan.slots[static_cast<size_t>(move.from)];
  TensorView& to = plan.slots[static_cast<size_t>(move.to)];
  const int64_t row_bytes = from.bytes();
  Dims dims = {row + 1};
  dims.insert(dims.end(), from.dims.begin(), from.dims.end());
  if (engine_->plan().slots[static_cast<size_t>(move.to)].kind == SlotKind::kLate) {
    if (row > 0 &&
        !std::equal(to.dims.begin() + 1, to.dims.end(), from.dims.begin(), from.dims.end()))
      return fail(ErrorId::kShapeMismatch, "a loop's scan output changes its shape",
                  dims_str(from.dims), "the shape of the first pass");
    const auto doubled = checked_mul(std::max<int64_t>(row_bytes * row, 64), 2);
    NPU_TRY(resize_late(plan, move.to, dims, doubled.value_or(0)));
  } else if (to.dims.empty() || row >= to.dims[0] ||
             !std::equal(to.dims.begin() + 1, to.dims.end(), from.dims.begin(), from.dims.end())) {
    return fail(ErrorId::kShapeMismatch, "a loop's scan output has an unexpected shape",
                dims_str(dims), dims_str(to.dims));
  }
  if (row_bytes > 0)
    std::memcpy(to.data + row * row_bytes, from.data, static_cast<size_t>(row_bytes));
  return ok();
}

Status RuntimeSession::start_loop(PreparedPlan& plan, const Task& task) {
  if (!options_.planned_memory)
    for (const int32_t slot : {task.iteration, task.condition_in})
      NPU_TRY(ensure_buffer(plan, slot));
  for (const int32_t slot : {task.iteration, task.condition_in})
    if (engine_->plan().slots[static_cast<size_t>(slot)].kind == SlotKind::kLate)
      NPU_TRY(resize_late(plan, slot, {}, 0));
  for (const Move& row : task.enter_moves) NPU_TRY(move(plan, row));
  for (const Move& row : task.scan_moves) {
    const Slot& slot = engine_->plan().slots[static_cast<size_t>(row.to)];
    if (slot.kind != SlotKind::kLate) continue;
    // With no pass at all the dims that are not numbers stay 0.
    Dims dims;
    for (const Dim& dim : slot.type.shape.dims()) dims.push_back(dim.known().value_or(0));
    if (!dims.empty()) dims[0] = 0;
    NPU_TRY(resize_late(plan, row.to, dims, 0));
  }
  return ok();
}

Status RuntimeSession::loop(PreparedPlan& plan, const Task& task) {
  NPU_TRY(start_loop(plan, task));
  const auto scalar = [&](int32_t slot) -> const TensorView& {
    return plan.slots[static_cast<size_t>(slot)];
  };
  int64_t trip_count = std::numeric_limits<int64_t>::max();
  if (task.trip_count >= 0) {
    NPU_TRY(check_scalar(scalar(task.trip_count), "the trip count of a loop"));
    trip_count = scalar(task.trip_count).load_int(0);
  }
  bool go_on = true;
  if (task.predicate >= 0) {
    NPU_TRY(check_scalar(scalar(task.predicate), "the condition of a loop"));
    go_on = scalar(task.predicate).load_int(0) != 0;
  }
  NPU_TRY(check_scalar(scalar(task.iteration), "the counter of a loop"));
  NPU_TRY(check_scalar(scalar(task.condition_in), "the condition that a loop's body reads"));
  int64_t passes = 0;
  for (; go_on && passes < trip_count; ++passes) {
    scalar(task.iteration).store_int(0, passes);
    scalar(task.condition_in).store_int(0, 1);
    NPU_TRY(run_block(plan, task.blocks[0]));
    NPU_TRY(check_scalar(scalar(task.predicate_out), "the condition that a loop's body makes"));
    go_on = scalar(task.predicate_out).load_int(0) != 0;
    for (const Move& row : task.scan_moves) NPU_TRY(append_row(plan, row, passes));
    for (const Move& row : task.next_moves) NPU_TRY(move(plan, row));
  }
  for (const Move& row : task.scan_moves) {
    const TensorView& scan = plan.slots[static_cast<size_t>(row.to)];
    if (scan.dims.empty() || scan.dims[0] != passes)
      return fail(ErrorId::kShapeMismatch, "a loop ended early", text(passes, " passes"),
                  text(scan.dims.empty() ? 0 : scan.dims[0], " passes"));
  }
  for (const Move& row : task.leave_moves) NPU_TRY(move(plan, row));
  return ok();
}

}  // namespace npugraph
