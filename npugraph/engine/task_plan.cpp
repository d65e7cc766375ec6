// SPDX-License-Identifier: Apache-2.0
#include "npugraph/engine/task_plan.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "npugraph/base/text.h"
#include "npugraph/engine/engine.pb.h"

namespace npugraph {
namespace {

void put(pb::Dim& out, const Dim& dim) {
  if (const auto number = dim.known())
    out.set_number(*number);
  else
    out.set_expression(dim.str());
}

void put(pb::Type& out, const TensorType& type) {
  out.set_dtype(onnx_dtype(type.dtype));
  out.set_unranked(!type.shape.ranked());
  for (const Dim& dim : type.shape.dims()) put(*out.add_dims(), dim);
}

template <class Repeated>
void put_moves(Repeated& out, const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    auto* row = out.Add();
    row->set_from(move.from);
    row->set_to(move.to);
  }
}

void put(pb::Task& out, const Task& task) {
  out.set_kind(static_cast<int32_t>(task.kind));
  out.set_name(task.name);
  out.set_device(task.device);
  out.set_program(task.program + 1);
  for (const int32_t slot : task.inputs) out.add_inputs(slot + 1);
  for (const int32_t slot : task.outputs) out.add_outputs(slot + 1);
  out.set_late(task.late);
  out.set_step(task.step);
  out.set_cost_ns(task.cost_ns);
  out.set_other_device(task.other_device);
  out.set_predicate(task.predicate + 1);
  for (const int32_t block : task.blocks) out.add_blocks(block);
  put_moves(*out.mutable_then_moves(), task.then_moves);
  put_moves(*out.mutable_else_moves(), task.else_moves);
  out.set_trip_count(task.trip_count + 1);
  out.set_iteration(task.iteration + 1);
  out.set_condition_in(task.condition_in + 1);
  out.set_predicate_out(task.predicate_out + 1);
  put_moves(*out.mutable_enter_moves(), task.enter_moves);
  put_moves(*out.mutable_next_moves(), task.next_moves);
  put_moves(*out.mutable_leave_moves(), task.leave_moves);
  put_moves(*out.mutable_scan_moves(), task.scan_moves);
}

void put_programs(pb::Plan& out, const TaskPlan& plan) {
  for (const PlanProgram& program : plan.programs) {
    pb::Program& row = *out.add_programs();
    row.set_device(program.device);
    row.set_code_offset(program.code_offset);
    row.set_code_bytes(program.code_bytes);
    for (const int32_t weight : program.weights) row.add_weights(weight);
    row.set_kernel(program.kernel);
    for (const std::string& node : program.nodes) row.add_nodes(node);
    for (const std::string& origin : program.origins) row.add_origins(origin);
  }
  for (const WeightChunk& weight : plan.weights) {
    pb::Weight& row = *out.add_weights();
    row.set_offset(weight.offset);
    row.set_bytes(weight.bytes);
    row.set_hash_low(weight.hash.low);
    row.set_hash_high(weight.hash.high);
    put(*row.mutable_type(), weight.type);
  }
}

void put_report(pb::Plan& out, const TaskPlan& plan) {
  for (const PlanFact& fact : plan.facts) {
    pb::Fact& row = *out.add_facts();
    row.set_symbol(fact.symbol);
    row.set_min(fact.min);
    row.set_max(fact.max);
    row.set_multiple_of(fact.multiple_of);
  }
  for (const Placement& placement : plan.placements) {
    pb::Placement& row = *out.add_placements();
    row.set_node(placement.node);
    row.set_op(placement.op);
    row.set_device(placement.device);
    row.set_kernel(placement.kernel);
    row.set_reason(placement.reason);
    row.set_found(placement.found);
    row.set_allowed(placement.allowed);
  }
  for (const PassRow& pass : plan.passes) {
    pb::PassRow& row = *out.add_passes();
    row.set_name(pass.name);
    row.set_changes(pass.changes);
    row.set_nodes_before(pass.nodes_before);
    row.set_nodes_after(pass.nodes_after);
  }
  for (const auto& [key, value] : plan.metadata) (*out.mutable_metadata())[key] = value;
}

}  // namespace

int64_t TaskPlan::task_count() const {
  int64_t count = 0;
  for (const TaskBlock& block : blocks) count += static_cast<int64_t>(block.tasks.size());
  return count;
}

int64_t TaskPlan::task_count(TaskKind kind) const {
  int64_t count = 0;
  for (const TaskBlock& block : blocks)
    for (const Task& task : block.tasks) count += task.kind == kind;
  return count;
}

std::string save_plan(const TaskPlan& plan) {
  pb::Plan out;
  for (const PlanDevice& device : plan.devices) {
    pb::Device& row = *out.add_devices();
    row.set_name(device.name);
    row.set_fingerprint(device.fingerprint);
    row.set_min_firmware(device.min_firmware);
  }
  for (const Slot& slot : plan.slots) {
    pb::Slot& row = *out.add_slots();
    row.set_name(slot.name);
    put(*row.mutable_type(), slot.type);
    row.set_kind(static_cast<int32_t>(slot.kind));
    row.set_index(slot.index);
    row.set_device(slot.device);
  }
  for (const PlanBuffer& buffer : plan.buffers) {
    pb::Buffer& row = *out.add_buffers();
    row.set_device(buffer.device);
    for (const Dim& bytes : buffer.bytes) put(*row.add_bytes(), bytes);
    row.set_align_bytes(buffer.align_bytes);
    row.set_first_step(buffer.first_step);
    row.set_last_step(buffer.last_step);
    row.set_offset_bytes(buffer.offset_bytes);
  }
  for (const TaskBlock& block : plan.blocks) {
    pb::Block& row = *out.add_blocks();
    for (const Task& task : block.tasks) put(*row.add_tasks(), task);
  }
  put_programs(out, plan);
  for (const int32_t slot : plan.inputs) out.add_inputs(slot);
  for (const int32_t slot : plan.outputs) out.add_outputs(slot);
  put_report(out, plan);
  out.set_cut_edges(plan.cut_edges);
  for (const int64_t bytes : plan.arena_bytes) out.add_arena_bytes(bytes);
  for (const int64_t bytes : plan.peak_live_bytes) out.add_peak_live_bytes(bytes);
  out.set_sum_bytes(plan.sum_bytes);

  // Map fields have no fixed order unless the stream is asked for it.
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    out.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace npugraph
