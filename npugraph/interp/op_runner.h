// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "npugraph/interp/interp.h"
#include "npugraph/kernels/kernel.h"

namespace npugraph {

/// Computes nodes of ordinary operators. One thread at a time.
class OpRunner {
 public:
  OpRunner(KernelChoice kernels, ThreadPool* pool) : kernels_(kernels), pool_(pool) {}

  /// Types of a node's outputs for these inputs. inputs: null for an absent one.
  static Result<std::vector<TensorType>> output_types(const Node& node,
                                                      std::span<const Tensor* const> inputs);

  /// Fills outputs, which have the types that output_types() gave.
  Status run(const Node& node, std::span<const Tensor* const> inputs, std::span<Tensor> outputs);

 private:
  /// What is kept of a node between runs; valid for the types it was prepared with.
  struct Prepared {
    std::vector<TensorType> in, out;
    const Kernel* kernel = nullptr;
    std::vector<Tensor> packed;
    std::unique_ptr<KernelPlan> plan;
  };

  Result<const KernelPlan*> prepare(const Node& node, std::span<const Tensor* const> inputs,
                                    std::span<const Tensor> outputs);
  Status run_fast(const Node& node, std::span<const Tensor* const> inputs, Views in,
                  std::span<Tensor> outputs, Views out);

  KernelChoice kernels_;
  ThreadPool* pool_;
  std::unique_ptr<ThreadPool> own_pool_;
  std::unordered_map<const Node*, Prepared> prepared_;
  Tensor scratch_;
};

}  // namespace npugraph
