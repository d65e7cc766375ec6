// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "npugraph/base/text.h"

namespace npugraph::vnpu {
namespace {

/// Operands of one command, where the simulator keeps them.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;
  const float* c = nullptr;
  float* dst = nullptr;
};

Result<float*> resolve(const Image& image, const Binding& binding, const Dram& dram, uint32_t row) {
  if (row == kNoBuffer) return static_cast<float*>(nullptr);
  const BufferRow& buffer = image.buffers[row];
  DeviceAddress base = 0;
  switch (buffer.region) {
    case Region::kInput:
      base = binding.inputs[buffer.index];
      break;
    case Region::kOutput:
      base = binding.outputs[buffer.index];
      break;
    case Region::kWeight:
      base = binding.weights[buffer.index];
      break;
    case Region::kScratch:
      base = binding.scratch;
      break;
  }
  if (buffer.size_bytes == 0) return static_cast<float*>(nullptr);
  std::byte* at = dram.resolve(base + buffer.offset_bytes, static_cast<int64_t>(buffer.size_bytes));
  if (at == nullptr || reinterpret_cast<uintptr_t>(at) % sizeof(float) != 0) {
    return fail(ErrorId::kBadTensor, "a launch binds memory that the device has not allocated",
                text("address ", base + buffer.offset_bytes, ", ", buffer.size_bytes, " bytes"),
                "an aligned range inside of one allocation");
  }
  return reinterpret_cast<float*>(at);
}

/// The dense k x n matrix b.
class DenseColumns final : public Columns {
 public:
  DenseColumns(const float* data, int64_t n) noexcept : data_(data), n_(n) {}
  void read(int64_t k, int64_t first, int64_t count, float* out) const noexcept override {
    std::memcpy(out, data_ + k * n_ + first, static_cast<size_t>(count) * sizeof(float));
  }

 private:
  const float* data_;
  int64_t n_;
};

/// The image as a matrix: row (channel, tap), column (output y, output x).
class WindowColumns final : public Columns {
 public:
  WindowColumns(const ConvShape& shape, const float* image) noexcept : s_(shape), image_(image) {}

  void read(int64_t k, int64_t first, int64_t count, float* out) const noexcept override {
    const int64_t taps = int64_t{s_.kernel_h} * s_.kernel_w;
    const int64_t tap = k % taps;
    const float* plane = image_ + k / taps * s_.in_h * s_.in_w;
    const int64_t tap_y = tap / s_.kernel_w * s_.dilation_h - s_.pad_top;
    const int64_t tap_x = tap % s_.kernel_w * s_.dilation_w - s_.pad_left;
    int64_t out_y = first / s_.out_w;
    int64_t out_x = first % s_.out_w;
    while (count > 0) {
      const int64_t run = std::min<int64_t>(count, s_.out_w - out_x);
      const int64_t y = out_y * s_.stride_h + tap_y;
      if (y < 0 || y >= s_.in_h) {
        std::fill_n(out, run, 0.0f);
      } else {
        read_row(plane + y * s_.in_w, out_x * s_.stride_w + tap_x, run, out);
      }
      out += run;
      count -= run;
      out_x = 0;
      ++out_y;
    }
  }

 private:
  void read_row(const float* row, int64_t x, int64_t run, float* out) const noexcept {
    const int64_t step = s_.stride_w;
    if (step == 1 && x >= 0 && x + run <= s_.in_w) {
      std::memcpy(out, row + x, static_cast<size_t>(run) * sizeof(float));
      return;
    }
    for (int64_t i = 0; i < run; ++i, x += step) out[i] = x >= 0 && x < s_.in_w ? row[x] : 0.0f;
  }

  ConvShape s_;
  const float* image_;
};

void run_matmul(const MatMulShape& s, const Operands& at, Workers& workers) noexcept {
  const auto matrix = [&](int64_t index, const uint32_t* stride) {
    return index / s.batch[1] * stride[0] + index % s.batch[1] * stride[1];
  };
  workers.run(
      int64_t{s.batch[0]} * s.batch[1],
      [&](int64_t index) {
        return Product{
            s.m, s.n, s.k, at.a + matrix(index, s.a_stride), nullptr, at.dst + index * s.m * s.n};
      },
      [&](int64_t index) { return DenseColumns(at.b + matrix(index, s.b_stride), s.n); });
}

void run_conv(const ConvShape& s, const Operands& at, Workers& workers) noexcept {
  const int64_t k = int64_t{s.in_c} * s.kernel_h * s.kernel_w;
  const int64_t out_plane = int64_t{s.out_h} * s.out_w;
  const int64_t in_group = int64_t{s.in_c} * s.in_h * s.in_w;
  workers.run(
      int64_t{s.batch} * s.group,
      [&](int64_t index) {
        const int64_t first_channel = index % s.group * s.out_c;
        return Product{s.out_c,
                       out_plane,
                       k,
                       at.b + first_channel * k,
                       at.c == nullptr ? nullptr : at.c + first_channel,
                       at.dst + index * s.out_c * out_plane};
      },
      [&](int64_t index) { return WindowColumns(s, at.a + index * in_group); });
}

void add_rows(const AddShape& s, const Operands& at, int64_t begin, int64_t end) noexcept {
  const int64_t width = s.dims[3];
  for (int64_t row = begin; row < end; ++row) {
    const int64_t i2 = row % s.dims[2];
    const int64_t i1 = row / s.dims[2] % s.dims[1];
    const int64_t i0 = row / s.dims[2] / s.dims[1];
    const float* a = at.a + i0 * s.a_stride[0] + i1 * s.a_stride[1] + i2 * s.a_stride[2];
    const float* b = at.b + i0 * s.b_stride[0] + i1 * s.b_stride[1] + i2 * s.b_stride[2];
    float* dst = at.dst + row * width;
    for (int64_t j = 0; j < width; ++j) dst[j] = a[j * s.a_stride[3]] + b[j * s.b_stride[3]];
  }
}

void run_add(const AddShape& s, const Operands& at, Workers& workers) noexcept {
  const int64_t rows = int64_t{s.dims[0]} * s.dims[1] * s.dims[2];
  constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread's while
  const int64_t grain = std::max<int64_t>(1, kGrain / s.dims[3]);
  workers.pool().parallel_for(rows, grain,
                              [&](int64_t begin, int64_t end) { add_rows(s, at, begin, end); });
}

void run_relu(int64_t count, const Operands& at, Workers& workers) noexcept {
  workers.pool().parallel_for(count, 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) at.dst[i] = at.a[i] < 0 ? 0.0f : at.a[i];
  });
}

}  // namespace

Status execute(const Image& image, const Binding& binding, const Dram& dram,
               Workers& workers) noexcept {
  const ShapeRow none;
  for (const Command& command : image.commands) {
    const ShapeRow& shape = image.shapes.empty() ? none : image.shapes[command.shape];
    if (extents_of(command.op, shape, command.count).dst == 0) continue;
    Operands at;
    NPU_LET(at.a, resolve(image, binding, dram, command.a));
    NPU_LET(at.b, resolve(image, binding, dram, command.b));
    NPU_LET(at.c, resolve(image, binding, dram, command.c));
    NPU_LET(at.dst, resolve(image, binding, dram, command.dst));
    const auto count = static_cast<int64_t>(command.count);
    switch (command.op) {
      case Opcode::kCopy:
        std::memmove(at.dst, at.a, command.count * sizeof(float));
        break;
      case Opcode::kMatMul:
        run_matmul(std::bit_cast<MatMulShape>(shape), at, workers);
        break;
      case Opcode::kConv:
        run_conv(std::bit_cast<ConvShape>(shape), at, workers);
        break;
      case Opcode::kAdd:
        run_add(std::bit_cast<AddShape>(shape), at, workers);
        break;
      case Opcode::kRelu:
        run_relu(count, at, workers);
        break;
    }
  }
  return ok();
}

}  // namespace npugraph::vnpu
