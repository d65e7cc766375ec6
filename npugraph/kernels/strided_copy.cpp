// SPDX-License-Identifier: Apache-2.0
#include "npugraph/kernels/strided_copy.h"

#include <cstring>

#include "npugraph/micro/transpose.h"

namespace npugraph::kernels {

namespace {

template <class T>
void gather_row(const std::byte* in, int64_t step, std::byte* out, int64_t count) {
  const T* from = reinterpret_cast<const T*>(in);
  T* to = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
}

void copy_row(int64_t element_bytes, const std::byte* in, int64_t step, std::byte* out,
              int64_t count) {
  if (step == 1) {
    std::memcpy(out, in, static_cast<size_t>(count * element_bytes));
    return;
  }
  switch (element_bytes) {
    case 1:
      return gather_row<uint8_t>(in, step, out, count);
    case 2:
      return gather_row<uint16_t>(in, step, out, count);
    case 4:
      return gather_row<uint32_t>(in, step, out, count);
    default:
      return gather_row<uint64_t>(in, step, out, count);
  }
}

}  // namespace

bool is_movable(DType dtype) {
  const auto size = element_bytes(dtype);
  return size && (*size == 1 || *size == 2 || *size == 4 || *size == 8);
}

StridedCopy::StridedCopy(int64_t element_bytes, const Dims& dims, const Dims& strides,
                         int64_t offset)
    : element_bytes_(element_bytes), offset_(offset), loop_(RowLoop<1>::strided(dims, {strides})) {
  constexpr int64_t kWorthTurning = 4;
  if (loop_.inner_step(0) <= 1 || loop_.inner() < kWorthTurning) return;
  for (size_t axis = 0; axis < loop_.outer_dims().size(); ++axis) {
    if (loop_.outer_strides(0)[axis] == 1 && loop_.outer_dims()[axis] >= kWorthTurning) {
      turned_axis_ = static_cast<int64_t>(axis);
    }
  }
}

void StridedCopy::run(const std::byte* in, std::byte* out, ThreadPool& pool) const noexcept {
  if (loop_.rows() == 0 || loop_.inner() == 0) return;
  in += offset_ * element_bytes_;
  if (turned_axis_ >= 0) return turn(in, out, pool);
  rows(in, out, pool);
}

void StridedCopy::rows(const std::byte* in, std::byte* out, ThreadPool& pool) const noexcept {
  const int64_t step = loop_.inner_step(0);
  loop_.run(pool, static_cast<double>(element_bytes_),
            [&](std::array<int64_t, 1> at, int64_t to, int64_t count) {
              copy_row(element_bytes_, in + at[0] * element_bytes_, step, out + to * element_bytes_,
                       count);
            });
}

// Blocks of the turned axis times whole rows, for each index of the other outer axes.
void StridedCopy::turn(const std::byte* in, std::byte* out, ThreadPool& pool) const noexcept {
  constexpr int64_t kBlockRows = 32;
  const auto turned = static_cast<size_t>(turned_axis_);
  const Dims& outer = loop_.outer_dims();
  const int64_t length = outer[turned];
  const int64_t blocks = (length + kBlockRows - 1) / kBlockRows;
  int64_t out_stride = loop_.inner();  // from one index of the turned axis to the next
  for (size_t axis = turned + 1; axis < outer.size(); ++axis) out_stride *= outer[axis];
  const int64_t others = loop_.rows() / length;
  const double work = static_cast<double>(2 * kBlockRows * loop_.inner() * element_bytes_);
  parallel_items(pool, others * blocks, work, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      int64_t rest = task / blocks;
      int64_t from = 0;
      int64_t to = 0;
      int64_t step = loop_.inner();
      for (size_t axis = outer.size(); axis-- > 0; step *= outer[axis]) {
        if (axis == turned) continue;
        const int64_t index = rest % outer[axis];
        rest /= outer[axis];
        from += index * loop_.outer_strides(0)[axis];
        to += index * step;
      }
      const int64_t first = task % blocks * kBlockRows;
      const int64_t count = std::min(kBlockRows, length - first);
      micro::transpose(element_bytes_, in + (from + first) * element_bytes_, loop_.inner_step(0),
                       out + (to + first * out_stride) * element_bytes_, out_stride, count,
                       loop_.inner());
    }
  });
}

}  // namespace npugraph::kernels
