// SPDX-License-Identifier: Apache-2.0
// Expand of any dtype of whole bytes.
#include "npugraph/kernels/strided_copy.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) {
  return is_movable(node.type(0).dtype) && rank_of(node, 0) >= 0;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims y = out_dims(node);
  StridedCopy copy(*element_bytes(node.type(0).dtype), y, broadcast_steps(in_dims(node, 0), y), 0);
  return make_plan([copy = std::move(copy)](const KernelRun& run) noexcept -> Status {
    copy.run(run.in[0].data, run.out[0].data, run.pool);
    return ok();
  });
}

}  // namespace

std::vector<Kernel> expand() {
  return {{.name = "expand", .op = "Expand", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
