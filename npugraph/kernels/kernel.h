// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "npugraph/base/platform.h"
#include "npugraph/base/result.h"
#include "npugraph/base/thread_pool.h"
#include "npugraph/ops/op.h"

namespace npugraph {

/// One input of a node as a kernel sees it before data exists.
struct KernelInput {
  const TensorType* type = nullptr;  // null: an optional input that is absent
  const Tensor* constant = nullptr;  // the data, when it is known at compile time
};

/// A node to pack weights for (types may be symbolic) or to prepare (types concrete).
struct KernelNode {
  const OpSchema& schema;
  const Attrs& attrs;
  std::span<const KernelInput> in;
  std::span<const TensorType> out;
  Isa isa = Isa::kPortable;
  /// How many threads run() may have: scratch is sized for so many. More in the pool stay idle.
  int64_t threads = cpu_count();
  bool allow_fast = false;  // kernels marked fast may be chosen

  bool has(int64_t index) const {
    return index < static_cast<int64_t>(in.size()) &&
           in[static_cast<size_t>(index)].type != nullptr;
  }
  const TensorType& type(int64_t index) const { return *in[static_cast<size_t>(index)].type; }
  const Tensor* constant(int64_t index) const {
    return has(index) ? in[static_cast<size_t>(index)].constant : nullptr;
  }
};

/// What one run gets. `in` and `out` have exactly the prepared types; constant inputs that the
/// kernel packed are present too but need not be read. Outputs do not overlap inputs, except that
/// out[0] may be in[i] itself for an i that Kernel::in_place allows.
struct KernelRun {
  Views in;
  Views out;
  std::span<std::byte> scratch;  // scratch_bytes() long, 64-byte aligned, content undefined
  ThreadPool& pool;
};

/// A kernel with everything chosen for concrete types. Immutable: several threads may run it at
/// once, each with its own scratch.
class KernelPlan {
 public:
  KernelPlan() = default;
  KernelPlan(const KernelPlan&) = delete;
  KernelPlan& operator=(const KernelPlan&) = delete;
  virtual ~KernelPlan() = default;
  virtual int64_t scratch_bytes() const noexcept { return 0; }
  /// Allocates nothing. Errors only for what data decides: kIndexOutOfRange and the like.
  virtual Status run(const KernelRun& run) const noexcept = 0;
};

/// kPrecise: within the tolerances of tests/kernels, as the reference up to float rounding. kFast:
/// an approximation, taken only where the user lets it be; its file states the error.
enum class Accuracy : uint8_t { kPrecise, kFast };

/// One way to compute an operator on this processor.
struct Kernel {
  std::string_view name;  // "conv_f32": shown as the native operator in tables and reports
  std::string_view op;    // logical operator
  std::string_view domain = {};
  Accuracy accuracy = Accuracy::kPrecise;
  /// Inputs whose buffer out[0] may take over when types agree; -1 stands for every input that has
  /// out[0]'s exact type (element-wise kernels).
  std::vector<int64_t> in_place = {};

  /// Whether it takes the node: dtypes, attributes, constness of weights. Types may be symbolic.
  bool (*supports)(const KernelNode& node) = nullptr;
  /// Rearranges constant inputs once, at compile time; the result is stored in the engine, mapped
  /// and handed to prepare(). Null: nothing to pack. Depends on node.isa, never on dynamic dims.
  Result<std::vector<Tensor>> (*pack)(const KernelNode& node) = nullptr;
  /// Inputs that run() does not read once they are packed: the engine then leaves them out.
  std::vector<int64_t> packed_inputs = {};
  /// packed: what pack() gave, kept alive by the caller as long as the plan lives.
  Result<std::unique_ptr<KernelPlan>> (*prepare)(const KernelNode& node,
                                                 std::span<const Tensor> packed) = nullptr;
};

/// Fast kernels, from kernel_list.inc; for one operator the first that supports a node is taken.
std::span<const Kernel> all_kernels();

/// The kernel for a node, a fast one before precise ones if it may be; the reference implementation
/// ("reference") when no fast one takes it.
const Kernel& find_kernel(const KernelNode& node);

/// A kernel by its name (as an engine file stores it); "reference" too. Null when unknown.
const Kernel* find_kernel_by_name(std::string_view name, std::string_view domain,
                                  std::string_view op);

}  // namespace npugraph
