// SPDX-License-Identifier: Apache-2.0
// Slice of any dtype of whole bytes, with starts, axes and steps known at compile time.
#include "npugraph/kernels/strided_copy.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::kernels {
namespace {

bool supports(const KernelNode& node) {
  if (!is_movable(node.type(0).dtype) || rank_of(node, 0) < 0) return false;
  for (int64_t input = 1; input < static_cast<int64_t>(node.in.size()); ++input) {
    // Ends decide only the output's size, which is known when this is prepared.
    if (input != 2 && node.has(input) && node.constant(input) == nullptr) return false;
  }
  return node.constant(1) != nullptr;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims x = in_dims(node, 0);
  const Dims y = out_dims(node);
  const Ints starts = ints_of(node.constant(1)->view());
  Ints axes;
  if (node.constant(3) != nullptr) {
    axes = ints_of(node.constant(3)->view());
  } else {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  Ints steps(starts.size(), 1);
  if (node.constant(4) != nullptr) steps = ints_of(node.constant(4)->view());
  if (axes.size() != starts.size() || steps.size() != starts.size()) {
    return fail(ErrorId::kShapeMismatch, "starts, axes and steps of Slice differ in length");
  }
  Dims strides = strides_of(x);
  const Dims dense = strides;
  int64_t offset = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    NPU_LET(const int64_t axis, wrap_axis(axes[i], static_cast<int64_t>(x.size())));
    const int64_t length = dim(x, axis);
    const int64_t count = dim(y, axis);
    if (count == 0) continue;
    int64_t first = starts[i] < 0 ? std::max<int64_t>(0, starts[i] + length) : starts[i];
    if (steps[i] < 0) first = std::min(first, length - 1);
    const int64_t step = count == 1 ? 0 : steps[i];
    int64_t last = 0;
    if (__builtin_mul_overflow(step, count - 1, &last) || first < 0 || first >= length ||
        last >= length - first || last < -first) {
      return fail(ErrorId::kIndexOutOfRange, "a slice leaves its tensor", dims_str(y), dims_str(x));
    }
    offset += first * dim(dense, axis);
    strides[static_cast<size_t>(axis)] = dim(dense, axis) * step;
  }
  StridedCopy copy(*element_bytes(node.type(0).dtype), y, strides, offset);
  return make_plan([copy = std::move(copy)](const KernelRun& run) noexcept -> Status {
    copy.run(run.in[0].data, run.out[0].data, run.pool);
    return ok();
  });
}

}  // namespace

std::vector<Kernel> slice() {
  return {{.name = "slice", .op = "Slice", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
