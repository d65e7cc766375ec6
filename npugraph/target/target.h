// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/engine/task_plan.h"
#include "npugraph/ir/graph.h"

namespace npugraph {

/// The compile-side interface of a device; its C form for plug-ins is target/plugin_abi.h.

/// Whether a device takes a node; when not, why: what was found and what is allowed.
struct Support {
  bool yes = false;
  std::string reason = {};   // "dtype of input 'X'"
  std::string found = {};    // "float64"
  std::string allowed = {};  // "float32"

  static Support accept() { return {.yes = true}; }
  static Support refuse(std::string reason, std::string found, std::string allowed) {
    return {false, std::move(reason), std::move(found), std::move(allowed)};
  }
};

struct TargetInfo {
  PlanDevice device;           // name and fingerprint that go into the engine
  bool host_memory = false;    // as its driver's
  bool whole_regions = false;  // compile() takes many nodes at once; else one node a program
  int64_t align_bytes = 64;
};

struct TargetOptions {
  int64_t opt_level = 2;
};

/// What a target makes of a subgraph. The bytes mean something to its driver alone.
struct TargetProgram {
  std::string code;
  std::vector<Tensor> weights;
  std::string kernel;  // native operator(s), for reports
};

/// One device at compile time. Immutable, thread-safe.
class Target {
 public:
  virtual ~Target() = default;
  virtual const TargetInfo& info() const noexcept = 0;
  virtual Support supports(const Node& node) const = 0;
  /// Native operator that a node it supports will run as, for reports.
  virtual std::string kernel(const Node& node) const { return std::string(node.op()); }
  /// Estimated time of a node; 0 when its shapes are not known.
  virtual int64_t cost_ns(const Node& node) const = 0;
  /// Output 0 may take over the buffer of these inputs when they are not read afterwards.
  virtual std::vector<int64_t> in_place_inputs(const Node& node) const = 0;
  /// subgraph: its own graph, whose inputs and outputs are the program's in that order; constants
  /// are inside. Errors: kUnsupported and the device's own.
  virtual Result<TargetProgram> compile(const Graph& subgraph,
                                        const TargetOptions& options) const = 0;
};

}  // namespace npugraph
