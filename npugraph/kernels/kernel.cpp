// SPDX-License-Identifier: Apache-2.0
#include "npugraph/kernels/kernel.h"

#include <algorithm>

namespace npugraph {

namespace kernels {
#define X(function) std::vector<Kernel> function();
#include "npugraph/kernels/kernel_list.inc"
#undef X
}  // namespace kernels

namespace {

// The operator's own reference as a kernel: takes every node whose operator has one.
class ReferencePlan final : public KernelPlan {
 public:
  ReferencePlan(const OpSchema& schema, const Attrs& attrs) : schema_(schema), attrs_(attrs) {}
  Status run(const KernelRun& run) const noexcept override {
    return schema_.reference({run.in, run.out, attrs_});
  }

 private:
  const OpSchema& schema_;
  Attrs attrs_;
};

bool reference_supports(const KernelNode& node) { return node.schema.reference != nullptr; }

Result<std::unique_ptr<KernelPlan>> prepare_reference(const KernelNode& node,
                                                      std::span<const Tensor>) {
  if (node.schema.reference == nullptr) {
    return fail(ErrorId::kInternal, "the operator has no implementation",
                std::string(node.schema.name));
  }
  return std::unique_ptr<KernelPlan>(std::make_unique<ReferencePlan>(node.schema, node.attrs));
}

const Kernel& reference_kernel() {
  static const Kernel kernel = {
      .name = "reference", .op = {}, .supports = reference_supports, .prepare = prepare_reference};
  return kernel;
}

std::vector<Kernel> collect() {
  std::vector<Kernel> all;
  const auto append = [&all](std::vector<Kernel> rows) {
    all.insert(all.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  };
#define X(function) append(kernels::function());
#include "npugraph/kernels/kernel_list.inc"
#undef X
  return all;
}

}  // namespace

std::span<const Kernel> all_kernels() {
  static const std::vector<Kernel> kernels = collect();
  return kernels;
}

const Kernel& find_kernel(const KernelNode& node) {
  const Kernel* precise = nullptr;
  for (const Kernel& kernel : all_kernels()) {
    const bool is_fast = kernel.accuracy == Accuracy::kFast;
    if (kernel.op != node.schema.name || kernel.domain != node.schema.domain ||
        (is_fast ? !node.allow_fast : precise != nullptr) || !kernel.supports(node)) {
      continue;
    }
    if (is_fast) return kernel;
    precise = &kernel;
    if (!node.allow_fast) break;
  }
  return precise != nullptr ? *precise : reference_kernel();
}

const Kernel* find_kernel_by_name(std::string_view name, std::string_view domain,
                                  std::string_view op) {
  if (name == "reference") return &reference_kernel();
  const auto kernels = all_kernels();
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) {
    return kernel.name == name && kernel.domain == domain && kernel.op == op;
  });
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace npugraph
