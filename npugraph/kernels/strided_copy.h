// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {

/// out[i] = in[offset + i . strides] for every index i of `dims` in row-major order; elements of 1,
/// 2, 4 or 8 bytes, offset and strides in elements. What Transpose, Slice and Expand come down to.
class StridedCopy {
 public:
  StridedCopy(int64_t element_bytes, const Dims& dims, const Dims& strides, int64_t offset);

  void run(const std::byte* in, std::byte* out, ThreadPool& pool) const noexcept;

 private:
  void turn(const std::byte* in, std::byte* out, ThreadPool& pool) const noexcept;
  void rows(const std::byte* in, std::byte* out, ThreadPool& pool) const noexcept;

  int64_t element_bytes_;
  int64_t offset_;
  RowLoop<1> loop_;
  int64_t turned_axis_ = -1;  // an outer axis along which `in` is contiguous while rows are not
};

/// Whether StridedCopy can move elements of this dtype.
bool is_movable(DType dtype);

}  // namespace npugraph::kernels
