// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/emit.h"

#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/lower/schedule.h"
#include "npugraph/lower/subgraph.h"

namespace npugraph {
namespace {

constexpr int32_t kHost = 0;

/// What a unit reads from outside itself, constants left out, each once.
std::vector<Value*> unit_inputs(const Unit& unit) {
  std::vector<Value*> out;
  for (const Node* node : unit.nodes) {
    for (Value* value : values_read(*node)) {
      if (value->constant() != nullptr) continue;
      const bool own =
          std::find(unit.nodes.begin(), unit.nodes.end(), value->producer()) != unit.nodes.end();
      if (!own && std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
    }
  }
  return out;
}

bool is_read_outside(const Value& value, const Unit& unit) {
  if (value.is_graph_output()) return true;
  return std::any_of(value.uses().begin(), value.uses().end(), [&](const Use& use) {
    return std::find(unit.nodes.begin(), unit.nodes.end(), use.node) == unit.nodes.end();
  });
}

/// What others need of a unit. A single node gives all its outputs: its kernel writes them anyway.
std::vector<Value*> unit_outputs(const Unit& unit) {
  std::vector<Value*> out;
  for (const Node* node : unit.nodes)
    for (Value* value : node->outputs())
      if (unit.nodes.size() == 1 || is_read_outside(*value, unit)) out.push_back(value);
  return out;
}

std::string unit_name(const Unit& unit) {
  if (unit.nodes.size() == 1) return unit.nodes[0]->name();
  return text(unit.nodes.front()->name(), " .. ", unit.nodes.back()->name());
}

}  // namespace

Emitter::Emitter(Graph& graph, std::span<const Target* const> targets, const LowerOptions& options)
    : graph_(graph), targets_(targets), options_(options), work_count_(targets.size(), 0) {}

Result<EngineParts> Emitter::run() {
  TaskPlan& plan = parts_.plan;
  for (const Target* target : targets_) plan.devices.push_back(target->info().device);
  place_nodes(graph_, targets_, plan.placements);
  for (const Placement& row : plan.placements)
    if (row.device.empty())
      return at(text("node '", row.node, "'"),
                fail(ErrorId::kNodeUnplaced, row.reason, row.found, row.allowed));
  for (size_t i = 0; i < plan.placements.size(); ++i) placement_of_[plan.placements[i].node] = i;
  plan.cut_edges = count_cut_edges(graph_);
  for (Value* input : graph_.inputs()) plan.inputs.push_back(home_slot(*input));
  NPU_LET(plan.outputs, emit_graph(graph_, new_block()));
  NPU_TRY(plan_memory(plan, lives_, take_overs_, options_.reuse_buffers));
  for (const auto& [symbol, fact] : graph_.facts)
    plan.facts.push_back({symbol, fact.min, fact.max, fact.multiple_of});
  for (const auto& [key, value] : graph_.metadata) plan.metadata[key] = value;
  return std::move(parts_);
}

int32_t Emitter::new_block() {
  parts_.plan.blocks.emplace_back();
  return static_cast<int32_t>(parts_.plan.blocks.size()) - 1;
}

Task& Emitter::push(int32_t block, TaskKind kind, std::string name, int32_t device) {
  Task task;
  task.kind = kind;
  task.name = std::move(name);
  task.device = device;
  task.step = step_;
  auto& tasks = parts_.plan.blocks[static_cast<size_t>(block)].tasks;
  tasks.push_back(std::move(task));
  return tasks.back();
}

int32_t Emitter::weight(const Tensor& tensor) {
  parts_.weights.push_back(tensor);
  return static_cast<int32_t>(parts_.weights.size()) - 1;
}

int32_t Emitter::new_slot(const Value& value, int32_t device) {
  Slot slot{value.name(), value.type, SlotKind::kArena, 0, device};
  const auto inputs = graph_.inputs();
  const auto outputs = graph_.outputs();
  const auto in = std::find(inputs.begin(), inputs.end(), &value);
  const auto out = std::find(outputs.begin(), outputs.end(), &value);
  if (value.constant() != nullptr) {
    slot.kind = SlotKind::kWeight;
    slot.index = weight(*value.constant());
    slot.type = value.constant()->type();
  } else if (in != inputs.end()) {
    slot.kind = device == kHost ? SlotKind::kInput : SlotKind::kArena;
    slot.index = in - inputs.begin();
  } else if (is_late(value.type.shape)) {
    slot.kind = SlotKind::kLate;
  } else if (out != outputs.end() && device == kHost) {
    slot.kind = SlotKind::kOutput;
    slot.index = out - outputs.begin();
  }
  const auto index = static_cast<int32_t>(parts_.plan.slots.size());
  parts_.plan.slots.push_back(std::move(slot));
  slots_[{&value, device}] = index;
  return index;
}

int32_t Emitter::home_slot(const Value& value) {
  int32_t device = kHost;
  if (value.producer() != nullptr)
    for (size_t i = 0; i < targets_.size(); ++i)
      if (targets_[i]->info().device.name == value.producer()->device)
        device = static_cast<int32_t>(i);
  const auto hit = slots_.find({&value, device});
  return hit != slots_.end() ? hit->second : new_slot(value, device);
}

void Emitter::define(int32_t slot) {
  if (parts_.plan.slots[static_cast<size_t>(slot)].kind == SlotKind::kArena)
    lives_.emplace(slot, SlotLife{step_, step_});
}

void Emitter::touch(int32_t slot, int64_t step) {
  if (const auto hit = lives_.find(slot); hit != lives_.end())
    hit->second.last = std::max(hit->second.last, step);
}

void Emitter::keep_outer_values(int64_t begin, int64_t end) {
  for (auto& [slot, life] : lives_)
    if (life.first < begin && life.last >= begin) life.last = std::max(life.last, end);
}

void Emitter::add_event(int32_t waiting, int32_t waited_for, int32_t block) {
  int64_t& seen = waited_[{waiting, waited_for}];
  const int64_t work = work_count_[static_cast<size_t>(waited_for)];
  if (seen == work) return;  // nothing new to wait for
  seen = work;
  push(block, TaskKind::kEvent,
       text(parts_.plan.devices[static_cast<size_t>(waiting)].name, " waits for ",
            parts_.plan.devices[static_cast<size_t>(waited_for)].name),
       waiting)
      .other_device = waited_for;
}

void Emitter::add_copy(int32_t from_slot, int32_t to_slot, int32_t block) {
  const Slot& from = parts_.plan.slots[static_cast<size_t>(from_slot)];
  const Slot& to = parts_.plan.slots[static_cast<size_t>(to_slot)];
  const int32_t from_device = from.device;
  const int32_t to_device = to.device;
  const std::string name =
      text("copy ", from.name, " to ", parts_.plan.devices[static_cast<size_t>(to_device)].name);
  if (to_device != kHost) add_event(to_device, kHost, block);  // the host's data must be ready
  ++step_;
  define(to_slot);
  touch(from_slot, step_);
  Task& task = push(block, TaskKind::kCopy, name, to_device);
  task.other_device = from_device;
  task.inputs = {from_slot};
  task.outputs = {to_slot};
  // The device's queue does the copying, in both directions.
  ++work_count_[static_cast<size_t>(to_device != kHost ? to_device : from_device)];
  if (to_device == kHost) add_event(kHost, from_device, block);
}

int32_t Emitter::read_on(const Value& value, int32_t device, int32_t block) {
  const int32_t home = home_slot(value);
  const int32_t home_device = parts_.plan.slots[static_cast<size_t>(home)].device;
  int32_t slot = home;
  if (home_device != device) {
    if (const auto hit = slots_.find({&value, device}); hit != slots_.end()) {
      slot = hit->second;
    } else if (home_device != kHost && device != kHost) {  // by way of the host
      read_on(value, kHost, block);
      slot = new_slot(value, device);
      add_copy(slots_.at({&value, kHost}), slot, block);
      copies_made_.emplace_back(&value, device);
    } else {
      slot = new_slot(value, device);
      add_copy(home, slot, block);
      copies_made_.emplace_back(&value, device);
    }
  }
  return slot;
}

Result<std::vector<int32_t>> Emitter::emit_graph(const Graph& graph, int32_t block) {
  NPU_LET(const std::vector<Unit> units,
          schedule_units(graph, form_units(graph, targets_),
                         &graph == &graph_ ? std::span<const std::string>(options_.order)
                                           : std::span<const std::string>(),
                         options_.minimise_memory));
  const size_t copies_before = copies_made_.size();
  for (const Unit& unit : units) {
    const Node& first = *unit.nodes[0];
    if (first.is("If")) {
      NPU_TRY_AT(text("node '", first.name(), "'"), emit_branch(first, block));
    } else if (first.is("Loop")) {
      NPU_TRY_AT(text("node '", first.name(), "'"), emit_loop(first, block));
    } else {
      NPU_TRY_AT(text("node '", unit_name(unit), "'"), emit_unit(graph, unit, block));
    }
  }
  // Results are wanted on the host; a nested graph's are moved by its owner, from there too.
  std::vector<int32_t> results;
  for (Value* output : graph.outputs()) results.push_back(read_on(*output, kHost, block));
  for (const int32_t slot : results) touch(slot, step_);
  if (&graph == &graph_) return results;
  // A copy made in here may not have been made when the next block runs.
  for (size_t i = copies_before; i < copies_made_.size(); ++i) slots_.erase(copies_made_[i]);
  copies_made_.resize(copies_before);
  waited_.clear();
  return results;
}

Result<int32_t> Emitter::add_program(const Graph& graph, const Unit& unit,
                                     const std::vector<Value*>& inputs,
                                     const std::vector<Value*>& outputs) {
  const Target& target = *targets_[static_cast<size_t>(unit.target)];
  NPU_LET(const std::unique_ptr<Graph> subgraph,
          extract_subgraph(graph, unit.nodes, inputs, outputs));
  NPU_LET(TargetProgram compiled, target.compile(*subgraph, options_.compile));
  PlanProgram program;
  program.device = unit.target;
  program.code_offset = static_cast<int64_t>(parts_.code.size());
  program.code_bytes = static_cast<int64_t>(compiled.code.size());
  parts_.code += compiled.code;
  for (const Tensor& tensor : compiled.weights) program.weights.push_back(weight(tensor));
  program.kernel = compiled.kernel;
  for (const Node* node : unit.nodes) {
    program.nodes.push_back(node->name());
    if (node->origins.empty()) program.origins.push_back(node->name());
    program.origins.insert(program.origins.end(), node->origins.begin(), node->origins.end());
  }
  for (const std::string& node : program.nodes)
    parts_.plan.placements[placement_of_.at(node)].kernel = compiled.kernel;
  parts_.plan.programs.push_back(std::move(program));
  return static_cast<int32_t>(parts_.plan.programs.size()) - 1;
}

Status Emitter::check_interrupt() const {
  const auto done = static_cast<double>(parts_.plan.programs.size());
  const auto all = static_cast<double>(parts_.plan.placements.size());
  if (!options_.keep_going || options_.keep_going(std::min(1.0, done / std::max(1.0, all))))
    return ok();
  return fail(ErrorId::kCancelled, "compiling was interrupted while it was lowering");
}

Status Emitter::emit_unit(const Graph& graph, const Unit& unit, int32_t block) {
  NPU_TRY(check_interrupt());
  const std::vector<Value*> inputs = unit_inputs(unit);
  const std::vector<Value*> outputs = unit_outputs(unit);
  NPU_LET(const int32_t program, add_program(graph, unit, inputs, outputs));
  std::vector<int32_t> in, out;
  bool late = false;
  for (Value* value : inputs) {
    in.push_back(read_on(*value, unit.target, block));
    late |= is_late(value->type.shape);
  }
  // Inputs may have been copied: only now is the step of the launch known.
  if (unit.target != kHost) add_event(unit.target, kHost, block);
  ++step_;
  for (const int32_t slot : in) touch(slot, step_);
  for (Value* value : outputs) {
    out.push_back(home_slot(*value));
    define(out.back());
    late |= is_late(value->type.shape);
  }
  const Target& target = *targets_[static_cast<size_t>(unit.target)];
  Task& task = push(block, TaskKind::kLaunch, unit_name(unit), unit.target);
  task.program = program;
  task.inputs = in;
  task.outputs = out;
  task.late = late;
  for (const Node* node : unit.nodes) task.cost_ns += target.cost_ns(*node);
  ++work_count_[static_cast<size_t>(unit.target)];
  if (unit.nodes.size() > 1 || late) return ok();

  const Node& node = *unit.nodes[0];
  const std::vector<int64_t> allowed = target.in_place_inputs(node);
  TakeOver row{step_, out[0], {}};
  for (const int64_t index : allowed) {
    const Value* value = node.input(index);
    if (value == nullptr || value->constant() != nullptr) continue;
    // Every place where the node reads this value must allow it.
    bool everywhere = true;
    for (int64_t i = 0; i < static_cast<int64_t>(node.inputs().size()); ++i)
      if (node.input(i) == value && std::find(allowed.begin(), allowed.end(), i) == allowed.end())
        everywhere = false;
    if (everywhere) row.candidates.push_back(slots_.at({value, unit.target}));
  }
  if (!row.candidates.empty()) take_overs_.push_back(std::move(row));
  return ok();
}

Status Emitter::emit_branch(const Node& node, int32_t block) {
  const int32_t predicate = read_on(*node.input(0), kHost, block);
  const int64_t begin = ++step_;
  touch(predicate, begin);
  const size_t at_task = parts_.plan.blocks[static_cast<size_t>(block)].tasks.size();
  push(block, TaskKind::kBranch, node.name(), kHost);
  std::vector<int32_t> blocks;
  std::vector<std::vector<int32_t>> results;
  for (const char* name : {"then_branch", "else_branch"}) {
    const Graph& nested = *node.subgraph(name);
    blocks.push_back(new_block());
    waited_.clear();  // which branch runs is not known: assume nothing was waited for
    NPU_LET(std::vector<int32_t> slots, emit_graph(nested, blocks.back()));
    results.push_back(std::move(slots));
  }
  ++step_;
  for (const auto& slots : results)
    for (const int32_t slot : slots) touch(slot, step_);
  std::vector<std::vector<Move>> moves(2);
  std::vector<int32_t> outputs;
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    const int32_t out = home_slot(*node.outputs()[i]);
    define(out);
    outputs.push_back(out);
    for (size_t branch = 0; branch < 2; ++branch)
      moves[branch].push_back({results[branch][i], out});
  }
  Task& task = parts_.plan.blocks[static_cast<size_t>(block)].tasks[at_task];
  task.predicate = predicate;
  task.blocks = blocks;
  task.outputs = outputs;
  task.then_moves = moves[0];
  task.else_moves = moves[1];
  ++work_count_[kHost];
  return ok();
}

Status Emitter::emit_loop(const Node& node, int32_t block) {
  const Graph& body = *node.subgraph("body");
  const auto carried_count = static_cast<int64_t>(node.inputs().size()) - 2;
  const auto read_optional = [&](int64_t index) {
    return node.input(index) == nullptr ? -1 : read_on(*node.input(index), kHost, block);
  };
  const int32_t trip_count = read_optional(0);
  const int32_t predicate = read_optional(1);
  std::vector<int32_t> initial;
  for (int64_t i = 0; i < carried_count; ++i)
    initial.push_back(read_on(*node.input(i + 2), kHost, block));

  const int64_t begin = ++step_;
  for (const int32_t slot : {trip_count, predicate}) touch(slot, begin);
  for (const int32_t slot : initial) touch(slot, begin);
  const size_t at_task = parts_.plan.blocks[static_cast<size_t>(block)].tasks.size();
  push(block, TaskKind::kLoop, node.name(), kHost);
  std::vector<int32_t> body_inputs;
  for (Value* value : body.inputs()) {
    body_inputs.push_back(home_slot(*value));
    define(body_inputs.back());
  }
  const int32_t nested_block = new_block();
  waited_.clear();
  NPU_LET(const std::vector<int32_t> made, emit_graph(body, nested_block));

  const int64_t end = ++step_;
  keep_outer_values(begin + 1, end);
  for (const int32_t slot : body_inputs) touch(slot, end);
  for (const int32_t slot : made) touch(slot, end);
  std::vector<int32_t> outputs;
  Task loop;
  for (int64_t i = 0; i < static_cast<int64_t>(node.outputs().size()); ++i) {
    const auto index = static_cast<size_t>(i);
    const int32_t out = home_slot(*node.outputs()[index]);
    define(out);
    outputs.push_back(out);
    if (i < carried_count) {
      loop.enter_moves.push_back({initial[index], body_inputs[index + 2]});
      loop.next_moves.push_back({made[index + 1], body_inputs[index + 2]});
      loop.leave_moves.push_back({body_inputs[index + 2], out});
    } else {
      if (const auto life = lives_.find(out); life != lives_.end()) life->second.first = begin;
      loop.scan_moves.push_back({made[index + 1], out});
    }
  }
  Task& task = parts_.plan.blocks[static_cast<size_t>(block)].tasks[at_task];
  loop.kind = TaskKind::kLoop;
  loop.name = task.name;
  loop.step = task.step;
  loop.trip_count = trip_count;
  loop.predicate = predicate;
  loop.iteration = body_inputs[0];
  loop.condition_in = body_inputs[1];
  loop.predicate_out = made[0];
  loop.blocks = {nested_block};
  loop.outputs = outputs;
  task = std::move(loop);
  ++work_count_[kHost];
  return ok();
}

}  // namespace npugraph
