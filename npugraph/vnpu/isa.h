// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace npugraph::vnpu {

/// The instruction set: 32-byte commands that name rows of two tables of the program image, one of
/// buffers and one of shapes. All numbers are little-endian; reserved fields are zero.

enum class Opcode : uint8_t {
  kCopy = 1,    // DMA: dst = a, `count` float32
  kMatMul = 2,  // MXU: dst[b] = a[b] . b[b], shape MatMulShape
  kConv = 3,    // MXU: dst = conv(a, weights b) + bias c, shape ConvShape
  kAdd = 4,     // VPU: dst = a + b with repeats, shape AddShape
  kRelu = 5,    // VPU: dst = max(a, 0), NaN for NaN, `count` float32
};

/// "COPY", "MATMUL", …; empty for a number that is no opcode.
std::string_view opcode_name(Opcode op) noexcept;

inline constexpr uint32_t kNoBuffer = 0xffffffffu;

struct Command {
  Opcode op = Opcode::kCopy;
  uint8_t reserved0 = 0;
  uint16_t reserved1 = 0;
  uint32_t shape = 0;      // row of the shape table; 0 where the opcode needs none
  uint32_t a = kNoBuffer;  // rows of the buffer table
  uint32_t b = kNoBuffer;
  uint32_t c = kNoBuffer;
  uint32_t dst = kNoBuffer;
  uint64_t count = 0;  // elements; 0 where a shape says them
};
static_assert(sizeof(Command) == 32);

/// What a buffer is a part of. The host binds regions to device addresses at launch.
enum class Region : uint32_t { kInput = 0, kOutput = 1, kWeight = 2, kScratch = 3 };

struct BufferRow {
  Region region = Region::kScratch;
  uint32_t index = 0;  // which input, output or weight; 0 for scratch
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};
static_assert(sizeof(BufferRow) == 24);

inline constexpr int64_t kShapeWords = 16;

/// dst[i, j] is m x n, a is m x k, b is k x n, all dense row-major, for two batch axes. Strides are
/// in elements from one matrix to the next; 0 repeats a matrix.
struct MatMulShape {
  uint32_t m = 0, n = 0, k = 0;
  uint32_t batch[2] = {1, 1};
  uint32_t a_stride[2] = {};
  uint32_t b_stride[2] = {};
  uint32_t reserved[7] = {};
};

/// a: [batch, group * in_c, in_h, in_w]; weights: [group * out_c, in_c, kernel_h, kernel_w]; bias:
/// [group * out_c]; dst: [batch, group * out_c, out_h, out_w]. Reads outside of the image give 0.
/// No field is larger than kMostConvSize, so that no product of three overflows.
inline constexpr uint32_t kMostConvSize = 1u << 20;
struct ConvShape {
  uint32_t batch = 1, group = 1;
  uint32_t in_c = 0, in_h = 0, in_w = 0;     // channels of one group
  uint32_t out_c = 0, out_h = 0, out_w = 0;  // channels of one group
  uint32_t kernel_h = 1, kernel_w = 1;
  uint32_t stride_h = 1, stride_w = 1;
  uint32_t dilation_h = 1, dilation_w = 1;
  uint32_t pad_top = 0, pad_left = 0;
};

/// dst is dense; strides of a and b are in elements, 0 repeats.
struct AddShape {
  uint32_t dims[4] = {1, 1, 1, 1};
  uint32_t a_stride[4] = {};
  uint32_t b_stride[4] = {};
  uint32_t reserved[4] = {};
};

struct ShapeRow {
  uint32_t words[kShapeWords] = {};
  bool operator==(const ShapeRow&) const = default;
};
static_assert(sizeof(MatMulShape) == sizeof(ShapeRow));
static_assert(sizeof(ConvShape) == sizeof(ShapeRow));
static_assert(sizeof(AddShape) == sizeof(ShapeRow));

}  // namespace npugraph::vnpu
