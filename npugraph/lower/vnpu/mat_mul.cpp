// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "npugraph/lower/vnpu/operation.h"

namespace npugraph {
namespace {

/// A stack of matrices of rank 2 to 4.
struct Stack {
  explicit Stack(const Dims& dims) {
    const size_t rank = dims.size();
    rows = dims[rank - 2];
    cols = dims[rank - 1];
    if (rank >= 3) batch[1] = dims[rank - 3];
    if (rank >= 4) batch[0] = dims[rank - 4];
  }
  /// From one matrix to the next along a batch axis; 0 where one stands for all.
  uint32_t stride(int axis) const {
    if (batch[axis] == 1) return 0;
    return static_cast<uint32_t>(rows * cols * (axis == 0 ? batch[1] : 1));
  }
  int64_t rows = 1;
  int64_t cols = 1;
  int64_t batch[2] = {1, 1};
};

Result<VnpuOperation> lower(const Node& node) {
  const Stack a(known_dims(*node.input(0)));
  const Stack b(known_dims(*node.input(1)));
  const Stack out(known_dims(*node.output()));
  vnpu::MatMulShape shape;
  shape.m = static_cast<uint32_t>(a.rows);
  shape.k = static_cast<uint32_t>(a.cols);
  shape.n = static_cast<uint32_t>(b.cols);
  const bool one_b = b.batch[0] == 1 && b.batch[1] == 1;
  if (one_b) {  // a stack of products with one matrix is one tall product
    shape.m = static_cast<uint32_t>(a.batch[0] * a.batch[1] * a.rows);
  } else {
    for (int axis = 0; axis < 2; ++axis) {
      shape.batch[axis] = static_cast<uint32_t>(out.batch[axis]);
      shape.a_stride[axis] = a.stride(axis);
      shape.b_stride[axis] = b.stride(axis);
    }
  }
  return VnpuOperation{.op = vnpu::Opcode::kMatMul,
                       .has_shape = true,
                       .shape = std::bit_cast<vnpu::ShapeRow>(shape)};
}

}  // namespace

VnpuOp mat_mul_on_vnpu() { return {.name = "MatMul", .lower = lower}; }

}  // namespace npugraph
