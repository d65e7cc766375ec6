// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "npugraph/lower/vnpu/operation.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph {
namespace {

struct Axis {
  int64_t dim = 1;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
};

/// Axes of size 1 left out, and neighbours that both operands walk without a jump made one: long
/// rows run faster.
std::vector<Axis> merged_axes(const Dims& dims, const Dims& a, const Dims& b) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const bool joins = !axes.empty() && axes.back().a_stride == a[i] * dims[i] &&
                       axes.back().b_stride == b[i] * dims[i];
    if (joins) {
      axes.back() = {axes.back().dim * dims[i], a[i], b[i]};
    } else {
      axes.push_back({dims[i], a[i], b[i]});
    }
  }
  return axes;
}

Result<VnpuOperation> lower(const Node& node) {
  const Dims out = known_dims(*node.output());
  const auto axes = merged_axes(out, broadcast_strides(known_dims(*node.input(0)), out),
                                broadcast_strides(known_dims(*node.input(1)), out));
  vnpu::AddShape shape;
  const size_t first = 4 - axes.size();  // the legal table ends at rank 4
  for (size_t i = 0; i < axes.size(); ++i) {
    shape.dims[first + i] = static_cast<uint32_t>(axes[i].dim);
    shape.a_stride[first + i] = static_cast<uint32_t>(axes[i].a_stride);
    shape.b_stride[first + i] = static_cast<uint32_t>(axes[i].b_stride);
  }
  return VnpuOperation{
      .op = vnpu::Opcode::kAdd, .has_shape = true, .shape = std::bit_cast<vnpu::ShapeRow>(shape)};
}

}  // namespace

VnpuOp add_on_vnpu() { return {.name = "Add", .lower = lower}; }

}  // namespace npugraph
