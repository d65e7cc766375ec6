// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "npugraph/engine/engine.h"
#include "npugraph/lower/lower.h"
#include "npugraph/lower/memory.h"
#include "npugraph/lower/partition.h"

namespace npugraph {

/// Writes the task list: walks the scheduled units of a graph and its nested graphs, gives every
/// value a slot on each device that touches it, inserts copies and events where data crosses, and
/// records how long each slot is needed. Steps are numbered through nested graphs, so that one
/// memory plan serves them all. Used once.
class Emitter {
 public:
  Emitter(Graph& graph, std::span<const Target* const> targets, const LowerOptions& options);

  /// Errors: those of the targets, with the node; kBadOrder.
  Result<EngineParts> run();

 private:
  using Where = std::pair<const Value*, int32_t>;  // a value on a device

  /// Returns the host slots of the graph's outputs.
  Result<std::vector<int32_t>> emit_graph(const Graph& graph, int32_t block);
  Status check_interrupt() const;
  Status emit_unit(const Graph& graph, const Unit& unit, int32_t block);
  Status emit_branch(const Node& node, int32_t block);
  Status emit_loop(const Node& node, int32_t block);
  Result<int32_t> add_program(const Graph& graph, const Unit& unit,
                              const std::vector<Value*>& inputs,
                              const std::vector<Value*>& outputs);

  /// The slot of a value on the device where it is made (inputs and constants: the host).
  int32_t home_slot(const Value& value);
  int32_t new_slot(const Value& value, int32_t device);
  /// The slot on `device`, copied there first if need be; marks it as read now.
  int32_t read_on(const Value& value, int32_t device, int32_t block);
  void add_event(int32_t waiting, int32_t waited_for, int32_t block);
  void add_copy(int32_t from_slot, int32_t to_slot, int32_t block);
  void define(int32_t slot);
  void touch(int32_t slot, int64_t step);
  Task& push(int32_t block, TaskKind kind, std::string name, int32_t device);
  int32_t new_block();
  /// Values made around `begin` and read inside a loop stay alive until its end.
  void keep_outer_values(int64_t begin, int64_t end);
  int32_t weight(const Tensor& tensor);

  Graph& graph_;
  std::span<const Target* const> targets_;
  const LowerOptions& options_;
  EngineParts parts_;
  std::map<Where, int32_t> slots_;
  std::map<std::string, size_t, std::less<>> placement_of_;  // row of plan.placements by node
  std::map<int32_t, SlotLife> lives_;
  std::vector<TakeOver> take_overs_;
  std::vector<Where> copies_made_;   // replicas, oldest first: undone when a block ends
  std::vector<int64_t> work_count_;  // launches and copies so far, by device
  std::map<std::pair<int32_t, int32_t>, int64_t> waited_;  // (waiting, waited for) -> work count
  int64_t step_ = 0;
};

}  // namespace npugraph
