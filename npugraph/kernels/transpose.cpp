// SPDX-License-Identifier: Apache-2.0
// Transpose of any dtype of whole bytes.
#include "npugraph/kernels/strided_copy.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) {
  return is_movable(node.type(0).dtype) && rank_of(node, 0) >= 0;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims x = in_dims(node, 0);
  const auto rank = static_cast<int64_t>(x.size());
  Ints perm;
  if (node.attrs.has("perm")) perm = node.attrs.ints("perm");
  // No permutation given: the axes are reversed.
  for (int64_t axis = rank; perm.size() < x.size();) perm.push_back(--axis);
  Dims steps(x.size(), 1);
  for (int64_t axis = rank - 2; axis >= 0; --axis) {
    steps[static_cast<size_t>(axis)] = dim(steps, axis + 1) * dim(x, axis + 1);
  }
  Dims dims;
  Dims strides;
  for (const int64_t axis : perm) {
    dims.push_back(dim(x, axis));
    strides.push_back(dim(steps, axis));
  }
  StridedCopy copy(*element_bytes(node.type(0).dtype), dims, strides, 0);
  return make_plan([copy = std::move(copy)](const KernelRun& run) noexcept -> Status {
    copy.run(run.in[0].data, run.out[0].data, run.pool);
    return ok();
  });
}

}  // namespace

std::vector<Kernel> transpose() {
  return {{.name = "transpose", .op = "Transpose", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
