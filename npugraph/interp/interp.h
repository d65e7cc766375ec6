// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "npugraph/base/thread_pool.h"
#include "npugraph/ir/graph.h"

namespace npugraph {

/// What computes a node: the operator's reference (plain loops, sums in double: the oracle that
/// everything else is measured against), or the fastest CPU kernel that takes it.
enum class KernelChoice : uint8_t { kReference, kFast };

/// Sees every output of every node, nested graphs included, as soon as it is computed. In a Loop
/// the nodes of the body come again in every round. Returning false stops the run with kCancelled.
using Tap = std::function<bool(const Node& node, int64_t output, const Tensor& value)>;

struct InterpretOptions {
  KernelChoice kernels = KernelChoice::kReference;
  /// For fast kernels; null: one thread.
  ThreadPool* pool = nullptr;
  Tap tap;
  /// Most bytes of values that nodes have made and that are still to be read.
  int64_t byte_limit = std::numeric_limits<int64_t>::max();
};

/// Runs a graph node by node. Keeps what fast kernels packed and prepared, so that running it again
/// is cheaper. The graph must outlive it and not change. One thread at a time.
class Interpreter {
 public:
  explicit Interpreter(const Graph& graph, InterpretOptions options = {});
  Interpreter(Interpreter&&) noexcept;
  ~Interpreter();

  /// inputs: one a graph input, dense, of its dtype and shape; symbols must agree among them.
  /// Values are freed after their last read. Returns the graph's outputs.
  /// Errors: kBadArity, kDTypeMismatch, kShapeMismatch for the inputs; kOutOfMemory past the limit;
  /// kUnknownOp for an operator that nothing computes; those of the operators, each with the name
  /// of its node.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs);

  /// Most bytes that values made by nodes took at once in the last run (stacked results of a Loop
  /// included, the graph's inputs and constants not).
  int64_t peak_bytes() const noexcept;

 private:
  friend Result<std::vector<Tensor>> interpret_node(const Node& node,
                                                    std::span<const Tensor* const> inputs,
                                                    const InterpretOptions& options);
  struct State;
  std::unique_ptr<State> state_;
};

/// One run of a graph; see Interpreter::run().
Result<std::vector<Tensor>> interpret(const Graph& graph, std::span<const Tensor> inputs,
                                      const InterpretOptions& options = {});

/// One node on its own, for folding. inputs: null for an absent one. Nested graphs may read
/// constants around them. Errors: kValueUnknown when they read something else; as Interpreter::run.
Result<std::vector<Tensor>> interpret_node(const Node& node, std::span<const Tensor* const> inputs,
                                           const InterpretOptions& options = {});

}  // namespace npugraph
