// SPDX-License-Identifier: Apache-2.0
// Reading a plan. Nothing in it is believed: a number that could lead the runtime outside its
// tables is refused here, so that executing needs no checks.
#include <google/protobuf/io/coded_stream.h>

#include <limits>

#include "npugraph/base/text.h"
#include "npugraph/engine/engine.pb.h"
#include "npugraph/engine/task_plan.h"

namespace npugraph {
namespace {

Error corrupt(std::string what, std::string found, std::string expected) {
  return fail(ErrorId::kEngineCorrupt, std::move(what), std::move(found), std::move(expected));
}

Result<Dim> get(const pb::Dim& in) {
  if (in.kind_case() == pb::Dim::kNumber) return Dim(in.number());
  if (in.kind_case() == pb::Dim::kExpression) return Dim::parse(in.expression());
  return corrupt("a dimension of the plan is empty", "nothing", "a number or an expression");
}

Result<TensorType> get(const pb::Type& in) {
  const auto dtype = dtype_from_onnx(in.dtype());
  if (!dtype) return corrupt("unknown dtype in the plan", text(in.dtype()), "a dtype of ONNX");
  if (in.unranked()) return TensorType{*dtype, Shape::unranked()};
  std::vector<Dim> dims;
  for (const pb::Dim& row : in.dims()) {
    NPU_LET(Dim dim, get(row));
    if (dim.is_static() && dim.value() < 0)
      return corrupt("negative dimension in the plan", dim.str(), "0 or more");
    dims.push_back(std::move(dim));
  }
  return TensorType{*dtype, Shape(std::move(dims))};
}

/// Reads rows against the sizes of the tables that they point into.
class PlanLoader {
 public:
  PlanLoader(const pb::Plan& in, int64_t code_bytes, int64_t weight_bytes)
      : in_(in), code_bytes_(code_bytes), weight_bytes_(weight_bytes) {}

  Result<TaskPlan> load() {
    NPU_TRY(load_devices());
    NPU_TRY(load_weights());
    NPU_TRY(load_buffers());
    NPU_TRY(load_slots());
    NPU_TRY(load_programs());
    NPU_TRY(load_blocks());
    NPU_TRY(load_ports());
    load_report();
    return std::move(plan_);
  }

 private:
  Status in_range(std::string_view what, int64_t value, int64_t count, int64_t low = 0) const {
    if (value >= low && value < count) return ok();
    return corrupt(text("an index of the plan is out of range: ", what), text(value),
                   text(low, "..", count - 1));
  }

  Status load_devices() {
    for (const pb::Device& row : in_.devices())
      plan_.devices.push_back({row.name(), row.fingerprint(), row.min_firmware()});
    if (plan_.devices.empty() || plan_.devices[0].name != "cpu")
      return corrupt("the plan's first device is not the host",
                     plan_.devices.empty() ? "no device" : plan_.devices[0].name, "cpu");
    if (in_.arena_bytes_size() != in_.devices_size() ||
        in_.peak_live_bytes_size() != in_.devices_size())
      return corrupt("the plan does not list one arena a device",
                     text(in_.arena_bytes_size(), " and ", in_.peak_live_bytes_size()),
                     text(in_.devices_size()));
    plan_.arena_bytes.assign(in_.arena_bytes().begin(), in_.arena_bytes().end());
    plan_.peak_live_bytes.assign(in_.peak_live_bytes().begin(), in_.peak_live_bytes().end());
    plan_.sum_bytes = in_.sum_bytes();
    plan_.cut_edges = in_.cut_edges();
    return ok();
  }

  Status load_weights() {
    for (const pb::Weight& row : in_.weights()) {
      WeightChunk chunk{row.offset(), row.bytes(), {row.hash_low(), row.hash_high()}, {}};
      NPU_LET(chunk.type, get(row.type()));
      const auto dims = chunk.type.shape.known();
      if (!dims) return corrupt("a weight's shape is not static", chunk.type.str(), "numbers");
      NPU_LET(const int64_t wanted, dense_bytes(chunk.type.dtype, *dims));
      if (chunk.offset < 0 || chunk.offset % 64 != 0 || chunk.bytes != wanted ||
          chunk.offset > weight_bytes_ || chunk.bytes > weight_bytes_ - chunk.offset)
        return corrupt("a weight lies outside its section",
                       text(chunk.bytes, " bytes at ", chunk.offset),
                       text(wanted, " bytes inside ", weight_bytes_));
      plan_.weights.push_back(std::move(chunk));
    }
    return ok();
  }

  Status load_buffers() {
    for (const pb::Buffer& row : in_.buffers()) {
      PlanBuffer buffer{row.device(),      {}, row.align_bytes(), row.first_step(), row.last_step(),
                        row.offset_bytes()};
      NPU_TRY(in_range("device of a buffer", row.device(), in_.devices_size()));
      for (const pb::Dim& bytes : row.bytes()) {
        NPU_LET(Dim dim, get(bytes));
        buffer.bytes.push_back(std::move(dim));
      }
      const int64_t align = buffer.align_bytes;
      if (align < 1 || align > 4096 || (align & (align - 1)) != 0)
        return corrupt("alignment of a buffer", text(align), "a power of two up to 4096");
      if (buffer.first_step < 0 || buffer.last_step < buffer.first_step)
        return corrupt("lifetime of a buffer", text(buffer.first_step, "..", buffer.last_step),
                       "a first step from 0 on and a last one not before it");
      NPU_TRY(check_offset(buffer));
      plan_.buffers.push_back(std::move(buffer));
    }
    return ok();
  }

  /// A buffer placed at compile time lies inside its device's arena.
  Status check_offset(const PlanBuffer& buffer) const {
    const int64_t arena = plan_.arena_bytes[static_cast<size_t>(buffer.device)];
    if (arena < 0) {
      if (buffer.offset_bytes == -1) return ok();
      return corrupt("a buffer is placed in an arena without size", text(buffer.offset_bytes),
                     "-1");
    }
    for (const Dim& bytes : buffer.bytes)
      if (!bytes.is_static() || bytes.value() < 0 || bytes.value() > arena ||
          buffer.offset_bytes < 0 || buffer.offset_bytes > arena - bytes.value())
        return corrupt("a buffer lies outside its arena",
                       text(bytes, " bytes at ", buffer.offset_bytes), text("inside ", arena));
    return ok();
  }

  Status load_slots() {
    for (const pb::Slot& row : in_.slots()) {
      Slot slot{row.name(), {}, {}, row.index(), row.device()};
      NPU_LET(slot.type, get(row.type()));
      NPU_TRY(in_range("device of a slot", row.device(), in_.devices_size()));
      NPU_TRY(in_range("kind of a slot", row.kind(), 5));
      slot.kind = static_cast<SlotKind>(row.kind());
      switch (slot.kind) {
        case SlotKind::kInput:
          NPU_TRY(in_range("input of a slot", row.index(), in_.inputs_size()));
          break;
        case SlotKind::kOutput:
          NPU_TRY(in_range("output of a slot", row.index(), in_.outputs_size()));
          break;
        case SlotKind::kArena:
          NPU_TRY(in_range("buffer of a slot", row.index(), in_.buffers_size()));
          NPU_TRY(check_fits(slot));
          break;
        case SlotKind::kWeight:
          NPU_TRY(in_range("weight of a slot", row.index(), in_.weights_size()));
          if (!(slot.type == plan_.weights[static_cast<size_t>(row.index())].type))
            return corrupt("a slot's type is not its weight's", slot.type.str(),
                           plan_.weights[static_cast<size_t>(row.index())].type.str());
          break;
        case SlotKind::kLate:
          break;
      }
      if (slot.kind != SlotKind::kArena && slot.device != 0)
        return corrupt("a slot outside an arena is not on the host", text("device ", slot.device),
                       "device 0");
      if (slot.kind != SlotKind::kInput &&
          (slot.kind == SlotKind::kLate) != is_late(slot.type.shape))
        return corrupt("a slot's size is known at another time than its kind says",
                       text(slot.name, ": ", slot.type.str()), "late sizes in late slots only");
      plan_.slots.push_back(std::move(slot));
    }
    return ok();
  }

  /// The slot's own size is one of the sizes that its buffer provides for.
  Status check_fits(const Slot& slot) const {
    const PlanBuffer& buffer = plan_.buffers[static_cast<size_t>(slot.index)];
    if (buffer.device != slot.device || !slot.type.shape.ranked())
      return corrupt("a slot does not belong to its buffer",
                     text(slot.name, " on device ", slot.device),
                     text("a ranked slot on device ", buffer.device));
    const Dim bytes = slot.type.bytes();
    for (const Dim& provided : buffer.bytes) {
      if (provided == bytes) return ok();
      if (provided.is_static() && bytes.is_static() && bytes.value() <= provided.value())
        return ok();
    }
    return corrupt("a slot is larger than its buffer", text(bytes.str(), " bytes"),
                   buffer.bytes.empty() ? "a buffer with a size" : buffer.bytes[0].str());
  }

  Status load_programs() {
    for (const pb::Program& row : in_.programs()) {
      PlanProgram program{row.device(),
                          row.code_offset(),
                          row.code_bytes(),
                          {row.weights().begin(), row.weights().end()},
                          row.kernel(),
                          {row.nodes().begin(), row.nodes().end()},
                          {row.origins().begin(), row.origins().end()}};
      NPU_TRY(in_range("device of a program", row.device(), in_.devices_size()));
      if (row.code_offset() < 0 || row.code_bytes() < 0 || row.code_offset() > code_bytes_ ||
          row.code_bytes() > code_bytes_ - row.code_offset())
        return corrupt("a program lies outside its section",
                       text(row.code_bytes(), " bytes at ", row.code_offset()),
                       text("inside ", code_bytes_, " bytes"));
      for (const int32_t weight : program.weights)
        NPU_TRY(in_range("weight of a program", weight, in_.weights_size()));
      plan_.programs.push_back(std::move(program));
    }
    return ok();
  }

  Result<std::vector<Move>> get_moves(
      const google::protobuf::RepeatedPtrField<pb::Move>& rows) const {
    std::vector<Move> moves;
    for (const pb::Move& row : rows) {
      NPU_TRY(in_range("source of a move", row.from(), in_.slots_size()));
      NPU_TRY(in_range("target of a move", row.to(), in_.slots_size()));
      const Slot& from = plan_.slots[static_cast<size_t>(row.from())];
      const Slot& to = plan_.slots[static_cast<size_t>(row.to())];
      if (from.type.dtype != to.type.dtype || from.device != 0 || to.device != 0)
        return corrupt("a move joins slots of different kinds", from.name, to.name);
      moves.push_back({row.from(), row.to()});
    }
    return moves;
  }

  Result<Task> get_task(const pb::Task& row, int64_t block) const {
    NPU_TRY(in_range("kind of a task", row.kind(), 5));
    Task task;
    task.kind = static_cast<TaskKind>(row.kind());
    task.name = row.name();
    task.device = row.device();
    task.other_device = row.other_device();
    task.program = row.program() - 1;
    task.late = row.late();
    task.step = row.step();
    task.cost_ns = row.cost_ns();
    NPU_TRY(in_range("device of a task", task.device, in_.devices_size()));
    NPU_TRY(in_range("device of a task", task.other_device, in_.devices_size()));
    for (const int32_t slot : row.inputs()) {
      NPU_TRY(in_range("input of a task", slot - 1, in_.slots_size(), -1));
      task.inputs.push_back(slot - 1);
    }
    for (const int32_t slot : row.outputs()) {
      NPU_TRY(in_range("output of a task", slot - 1, in_.slots_size()));
      task.outputs.push_back(slot - 1);
    }
    for (const int32_t nested : row.blocks()) {
      NPU_TRY(in_range("block of a task", nested, in_.blocks_size(), block + 1));
      task.blocks.push_back(nested);
    }
    NPU_LET(task.then_moves, get_moves(row.then_moves()));
    NPU_LET(task.else_moves, get_moves(row.else_moves()));
    NPU_LET(task.enter_moves, get_moves(row.enter_moves()));
    NPU_LET(task.next_moves, get_moves(row.next_moves()));
    NPU_LET(task.leave_moves, get_moves(row.leave_moves()));
    NPU_LET(task.scan_moves, get_moves(row.scan_moves()));
    task.predicate = row.predicate() - 1;
    task.trip_count = row.trip_count() - 1;
    task.iteration = row.iteration() - 1;
    task.condition_in = row.condition_in() - 1;
    task.predicate_out = row.predicate_out() - 1;
    NPU_TRY(check_task(task));
    NPU_TRY(check_writes(task));
    return task;
  }

  Status check_scalar(int32_t slot, DType dtype, bool optional) const {
    if (slot == -1 && optional) return ok();
    NPU_TRY(in_range("scalar of a task", slot, in_.slots_size()));
    const Slot& row = plan_.slots[static_cast<size_t>(slot)];
    const bool one = !row.type.shape.ranked() || row.type.shape.rank() <= 1;
    if (row.type.dtype != dtype || row.device != 0 || !one)
      return corrupt("a control-flow scalar has the wrong type", row.type.str(),
                     text("one ", dtype_name(dtype), " on the host"));
    return ok();
  }

  /// Memory of the caller and of the file is read only.
  Status check_written(int32_t slot, std::string_view task) const {
    const SlotKind kind = plan_.slots[static_cast<size_t>(slot)].kind;
    if (kind != SlotKind::kInput && kind != SlotKind::kWeight) return ok();
    return corrupt(text("task '", task, "' writes an input or a weight"),
                   plan_.slots[static_cast<size_t>(slot)].name, "memory of the session");
  }

  Status check_launched(int32_t index, const Task& task) const {
    if (index < 0) return ok();
    const Slot& slot = plan_.slots[static_cast<size_t>(index)];
    if (slot.device != task.device)
      return corrupt("a task reads or writes another device's memory",
                     text(task.name, ": device ", slot.device), text("device ", task.device));
    if (!task.late && is_late(slot.type.shape))
      return corrupt("a task is prepared before the size of a value is known",
                     text(task.name, ": ", slot.type.str()), "a task marked late");
    return ok();
  }

  Status check_writes(const Task& task) const {
    for (const int32_t slot : task.outputs) NPU_TRY(check_written(slot, task.name));
    for (const auto* moves : {&task.then_moves, &task.else_moves, &task.enter_moves,
                              &task.next_moves, &task.leave_moves, &task.scan_moves})
      for (const Move& move : *moves) NPU_TRY(check_written(move.to, task.name));
    if (task.kind != TaskKind::kLoop) return ok();
    NPU_TRY(check_written(task.iteration, task.name));
    return check_written(task.condition_in, task.name);
  }

  Status check_task(const Task& task) const {
    switch (task.kind) {
      case TaskKind::kLaunch:
        NPU_TRY(in_range("program of a task", task.program, in_.programs_size()));
        if (plan_.programs[static_cast<size_t>(task.program)].device != task.device)
          return corrupt("a task runs on another device than its program",
                         text(task.name, ": device ", task.device), "the device of its program");
        for (const auto* list : {&task.inputs, &task.outputs})
          for (const int32_t slot : *list) NPU_TRY(check_launched(slot, task));
        return ok();
      case TaskKind::kCopy: {
        if (task.inputs.size() != 1 || task.outputs.size() != 1 || task.inputs[0] < 0)
          return corrupt("a copy has one input and one output",
                         text(task.name, ": ", task.inputs.size(), " and ", task.outputs.size()),
                         "1 and 1");
        const Slot& from = plan_.slots[static_cast<size_t>(task.inputs[0])];
        const Slot& to = plan_.slots[static_cast<size_t>(task.outputs[0])];
        if (!(from.type == to.type) || from.device != task.other_device ||
            to.device != task.device || (from.device != 0) == (to.device != 0))
          return corrupt("a copy does not join the host and a device",
                         text(task.name, ": device ", from.device, " to ", to.device),
                         "slots of one type, one of them on device 0");
        return ok();
      }
      case TaskKind::kEvent:
        return ok();
      case TaskKind::kBranch:
        if (task.blocks.size() != 2)
          return corrupt("a branch has two blocks", text(task.name, ": ", task.blocks.size()), "2");
        return check_scalar(task.predicate, DType::kBool, false);
      case TaskKind::kLoop:
        if (task.blocks.size() != 1)
          return corrupt("a loop has one block", text(task.name, ": ", task.blocks.size()), "1");
        NPU_TRY(check_scalar(task.trip_count, DType::kI64, true));
        NPU_TRY(check_scalar(task.predicate, DType::kBool, true));
        NPU_TRY(check_scalar(task.predicate_out, DType::kBool, false));
        NPU_TRY(check_scalar(task.iteration, DType::kI64, false));
        return check_scalar(task.condition_in, DType::kBool, false);
    }
    return ok();
  }

  Status load_blocks() {
    int64_t index = 0;
    for (const pb::Block& row : in_.blocks()) {
      TaskBlock block;
      for (const pb::Task& task_row : row.tasks()) {
        NPU_LET(Task task, get_task(task_row, index));
        block.tasks.push_back(std::move(task));
      }
      plan_.blocks.push_back(std::move(block));
      ++index;
    }
    if (plan_.blocks.empty()) return corrupt("the plan has no block", "0", "1 or more");
    return ok();
  }

  Status load_ports() {
    for (const int32_t slot : in_.inputs()) {
      NPU_TRY(in_range("slot of an input", slot, in_.slots_size()));
      plan_.inputs.push_back(slot);
    }
    for (const int32_t slot : in_.outputs()) {
      NPU_TRY(in_range("slot of an output", slot, in_.slots_size()));
      plan_.outputs.push_back(slot);
    }
    for (size_t i = 0; i < plan_.inputs.size(); ++i)
      if (const Slot& slot = plan_.slots[static_cast<size_t>(plan_.inputs[i])];
          slot.kind != SlotKind::kInput || slot.index != static_cast<int64_t>(i))
        return corrupt("an input's slot is not that input", text(slot.name, ": ", slot.index),
                       text(i));
    // The other way round too: a second slot of a port could claim another size of its memory.
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      if (slot.kind != SlotKind::kInput && slot.kind != SlotKind::kOutput) continue;
      const auto& ports = slot.kind == SlotKind::kInput ? plan_.inputs : plan_.outputs;
      if (ports[static_cast<size_t>(slot.index)] != static_cast<int32_t>(i))
        return corrupt("a slot is not that of its port", text("slot ", i, " ", slot.name),
                       text("slot ", ports[static_cast<size_t>(slot.index)]));
    }
    return ok();
  }

  void load_report() {
    for (const pb::Fact& row : in_.facts())
      plan_.facts.push_back({row.symbol(), row.min(), row.max(), row.multiple_of()});
    for (const pb::Placement& row : in_.placements())
      plan_.placements.push_back({row.node(), row.op(), row.device(), row.kernel(), row.reason(),
                                  row.found(), row.allowed()});
    for (const pb::PassRow& row : in_.passes())
      plan_.passes.push_back({row.name(), row.changes(), row.nodes_before(), row.nodes_after()});
    for (const auto& [key, value] : in_.metadata()) plan_.metadata.emplace(key, value);
  }

  const pb::Plan& in_;
  int64_t code_bytes_;
  int64_t weight_bytes_;
  TaskPlan plan_;
};

}  // namespace

Result<TaskPlan> load_plan(std::span<const std::byte> bytes, int64_t code_bytes,
                           int64_t weight_bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return corrupt("the plan section is too large", text(bytes.size(), " bytes"), "2 GiB or less");
  pb::Plan in;
  if (!in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return corrupt("the plan section cannot be parsed", text(bytes.size(), " bytes"),
                   "a message of engine.proto");
  return PlanLoader(in, code_bytes, weight_bytes).load();
}

}  // namespace npugraph
