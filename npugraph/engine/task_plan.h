// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npugraph/base/hash.h"
#include "npugraph/base/result.h"
#include "npugraph/tensor/shape.h"

namespace npugraph {

/// Where a slot's bytes are at run time.
enum class SlotKind : uint8_t {
  kInput,   // the user's buffer number `index`
  kOutput,  // the user's, or the session's own, output buffer number `index`
  kArena,   // arena of `device`, buffer `index`
  kWeight,  // weight chunk `index`, on the host: constants that control flow or outputs read
  kLate,    // size known only at run time: the session's late pool
};

/// One tensor at run time. Dims are expressions over the symbols of the input shapes.
struct Slot {
  std::string name;
  TensorType type;
  SlotKind kind = SlotKind::kArena;
  int64_t index = 0;
  int32_t device = 0;
};

/// A range of a device's arena, shared by values that never live at once. `bytes` is the largest of
/// the listed expressions.
struct PlanBuffer {
  int32_t device = 0;
  std::vector<Dim> bytes;
  int64_t align_bytes = 64;
  int64_t first_step = 0;
  int64_t last_step = 0;
  int64_t offset_bytes = -1;  // known at compile time for static shapes, else -1
};

/// Copies slot `from` to slot `to` on the host.
struct Move {
  int32_t from = 0;
  int32_t to = 0;
};

enum class TaskKind : uint8_t {
  kLaunch,  // run program `program` on `device`
  kCopy,    // inputs[0] on `other_device` to outputs[0] on `device`
  kEvent,   // the queue of `device` waits for what the queue of `other_device` has done so far
  kBranch,  // If
  kLoop,    // Loop
};

/// One step of a block. Slots are numbers into TaskPlan::slots; -1 is an absent optional input.
struct Task {
  TaskKind kind = TaskKind::kLaunch;
  std::string name;
  int32_t device = 0;
  int32_t program = -1;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  bool late = false;  // the shape of an input or output is known only when it runs
  int64_t step = 0;
  int64_t cost_ns = 0;  // estimate of the device's cost model; 0 for late ones
  int32_t other_device = 0;

  // kBranch: blocks = {then, else}; after the taken one, its moves fill the outputs.
  int32_t predicate = -1;
  std::vector<int32_t> blocks;
  std::vector<Move> then_moves;
  std::vector<Move> else_moves;

  // kLoop: blocks = {body}. enter_moves: initial values to carried; after each pass next_moves:
  // what the body made to carried (as if all at once), and scan_moves: one row appended to a scan
  // output; at the end leave_moves: carried to the outputs.
  int32_t trip_count = -1;     // int64 scalar; -1: no limit
  int32_t predicate_out = -1;  // bool scalar made by the body
  int32_t iteration = -1;      // int64 scalar that the body reads
  int32_t condition_in = -1;   // bool scalar that the body reads
  std::vector<Move> enter_moves;
  std::vector<Move> next_moves;
  std::vector<Move> leave_moves;
  std::vector<Move> scan_moves;
};

struct TaskBlock {
  std::vector<Task> tasks;
};

/// One device program and what it stands for.
struct PlanProgram {
  int32_t device = 0;
  int64_t code_offset = 0;  // in the programs section
  int64_t code_bytes = 0;
  std::vector<int32_t> weights;      // chunks that the driver gets, in the program's order
  std::string kernel;                // native operator(s), for reports
  std::vector<std::string> nodes;    // nodes of the optimised graph
  std::vector<std::string> origins;  // nodes of the user's model
};

/// A chunk of the weights section.
struct WeightChunk {
  int64_t offset = 0;  // a multiple of 64
  int64_t bytes = 0;
  Hash128 hash;
  TensorType type;  // static
};

struct PlanFact {
  std::string symbol;
  int64_t min = 0;
  int64_t max = 0;
  int64_t multiple_of = 1;
};

struct PlanDevice {
  std::string name;         // "cpu", "vnpu"
  std::string fingerprint;  // what compiled code depends on: "x86-64 avx512", a hardware profile
  std::string min_firmware;
};

/// Why a node runs where it does.
struct Placement {
  std::string node;
  std::string op;
  std::string device;
  std::string kernel;
  std::string reason;  // why the wanted device did not take it; empty when it did
  std::string found;
  std::string allowed;
};

struct PassRow {
  std::string name;
  int64_t changes = 0;
  int64_t nodes_before = 0;
  int64_t nodes_after = 0;
};

/// Everything the runtime needs to know about an engine, code and weights aside.
struct TaskPlan {
  std::vector<PlanDevice> devices;  // [0] is the host, cpu
  std::vector<Slot> slots;
  std::vector<PlanBuffer> buffers;
  std::vector<TaskBlock> blocks;  // [0] is the whole graph, the others are nested graphs
  std::vector<PlanProgram> programs;
  std::vector<WeightChunk> weights;
  std::vector<int32_t> inputs;   // slots
  std::vector<int32_t> outputs;  // slots
  std::vector<PlanFact> facts;
  std::vector<Placement> placements;
  std::vector<PassRow> passes;
  std::map<std::string, std::string> metadata;
  int64_t cut_edges = 0;
  std::vector<int64_t> arena_bytes;      // one a device; -1 when it depends on shapes
  std::vector<int64_t> peak_live_bytes;  // likewise
  int64_t sum_bytes = -1;                // all arena values with no reuse at all; -1 likewise

  int64_t task_count() const;
  int64_t task_count(TaskKind kind) const;
};

/// Protobuf bytes of a plan; equal plans give equal bytes.
std::string save_plan(const TaskPlan& plan);

/// Reads and checks a plan: every index in range, every number legal, so that the runtime can
/// trust it. code_bytes and weight_bytes are the lengths of the two sections that it points into.
/// Errors: kEngineCorrupt.
Result<TaskPlan> load_plan(std::span<const std::byte> bytes, int64_t code_bytes,
                           int64_t weight_bytes);

}  // namespace npugraph
