// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>

#include "npugraph/api/engine_state.h"

namespace npugraph {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> kTaskKinds = {"launch", "copy", "event", "branch",
                                                        "loop"};
constexpr std::array<std::string_view, 5> kSlotKinds = {"input", "output", "arena", "weight",
                                                        "late"};

json ports(const TaskPlan& plan, std::span<const int32_t> slots) {
  json rows = json::array();
  for (const PortDescription& port : plan_ports(plan, slots))
    rows.push_back({{"name", port.name},
                    {"dtype", dtype_name(port.type.dtype)},
                    {"shape", port.type.shape.str()}});
  return rows;
}

json slot_json(const TaskPlan& plan, int32_t index) {
  const Slot& slot = plan.slots[static_cast<size_t>(index)];
  return {{"name", slot.name},
          {"type", slot.type.str()},
          {"kind", kSlotKinds[static_cast<size_t>(slot.kind)]},
          {"index", slot.index},
          {"device", plan.devices[static_cast<size_t>(slot.device)].name}};
}

json tasks_json(const TaskPlan& plan) {
  json blocks = json::array();
  for (const TaskBlock& block : plan.blocks) {
    json rows = json::array();
    for (const Task& task : block.tasks) {
      json row = {{"kind", kTaskKinds[static_cast<size_t>(task.kind)]},
                  {"name", task.name},
                  {"device", plan.devices[static_cast<size_t>(task.device)].name},
                  {"inputs", task.inputs},
                  {"outputs", task.outputs},
                  {"late", task.late},
                  {"step", task.step},
                  {"cost_ns", task.cost_ns}};
      if (task.program >= 0) row["program"] = task.program;
      if (!task.blocks.empty()) row["blocks"] = task.blocks;
      rows.push_back(std::move(row));
    }
    blocks.push_back(std::move(rows));
  }
  return blocks;
}

json programs_json(const TaskPlan& plan) {
  json rows = json::array();
  for (const PlanProgram& program : plan.programs)
    rows.push_back({{"device", plan.devices[static_cast<size_t>(program.device)].name},
                    {"kernel", program.kernel},
                    {"nodes", program.nodes},
                    {"origins", program.origins},
                    {"code_bytes", program.code_bytes},
                    {"weights", program.weights}});
  return rows;
}

json memory_json(const TaskPlan& plan) {
  json buffers = json::array();
  for (const PlanBuffer& buffer : plan.buffers) {
    json bytes = json::array();
    for (const Dim& dim : buffer.bytes) bytes.push_back(dim.str());
    buffers.push_back({{"device", plan.devices[static_cast<size_t>(buffer.device)].name},
                       {"bytes", std::move(bytes)},
                       {"align_bytes", buffer.align_bytes},
                       {"first_step", buffer.first_step},
                       {"last_step", buffer.last_step},
                       {"offset_bytes", buffer.offset_bytes}});
  }
  json arenas = json::array();
  for (size_t i = 0; i < plan.devices.size(); ++i)
    arenas.push_back({{"device", plan.devices[i].name},
                      {"arena_bytes", plan.arena_bytes[i]},
                      {"peak_live_bytes", plan.peak_live_bytes[i]}});
  int64_t weight_bytes = 0;
  for (const WeightChunk& weight : plan.weights) weight_bytes += weight.bytes;
  return {{"arenas", std::move(arenas)},
          {"sum_bytes", plan.sum_bytes},
          {"weight_bytes", weight_bytes},
          {"buffers", std::move(buffers)}};
}

json report_json(const TaskPlan& plan) {
  json placements = json::array();
  for (const Placement& row : plan.placements)
    placements.push_back({{"name", row.node},
                          {"op", row.op},
                          {"device", row.device},
                          {"kernel", row.kernel},
                          {"reason", row.reason},
                          {"found", row.found},
                          {"allowed", row.allowed}});
  json passes = json::array();
  for (const PassRow& row : plan.passes)
    passes.push_back({{"name", row.name},
                      {"changes", row.changes},
                      {"nodes_before", row.nodes_before},
                      {"nodes_after", row.nodes_after}});
  return {{"nodes", std::move(placements)}, {"passes", std::move(passes)}};
}

}  // namespace

std::string Engine::describe_json() const {
  const EngineFile& file = *state_->file;
  const TaskPlan& plan = file.plan();
  json out = report_json(plan);
  out["format"] = file.format();
  out["producer"] = file.producer();
  out["file_bytes"] = file.bytes().size();
  json devices = json::array();
  for (const PlanDevice& device : plan.devices)
    devices.push_back({{"name", device.name},
                       {"fingerprint", device.fingerprint},
                       {"min_firmware", device.min_firmware}});
  out["devices"] = std::move(devices);
  out["inputs"] = ports(plan, plan.inputs);
  out["outputs"] = ports(plan, plan.outputs);
  json slots = json::array();
  for (size_t i = 0; i < plan.slots.size(); ++i)
    slots.push_back(slot_json(plan, static_cast<int32_t>(i)));
  out["slots"] = std::move(slots);
  out["blocks"] = tasks_json(plan);
  out["programs"] = programs_json(plan);
  out["memory"] = memory_json(plan);
  out["metadata"] = plan.metadata;
  out["task_count"] = plan.task_count();
  out["launches"] = plan.task_count(TaskKind::kLaunch);
  out["copies"] = plan.task_count(TaskKind::kCopy);
  out["events"] = plan.task_count(TaskKind::kEvent);
  out["cut_edges"] = plan.cut_edges;
  // Names come from models and need not be UTF-8.
  return out.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace npugraph
