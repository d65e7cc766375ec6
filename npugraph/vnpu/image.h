// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/vnpu/isa.h"

namespace npugraph::vnpu {

/// A program as the compiler writes it and the device loads it.
struct Image {
  std::vector<uint64_t> input_bytes;  // of each region that the host binds at launch
  std::vector<uint64_t> output_bytes;
  std::vector<uint64_t> weight_bytes;
  uint64_t scratch_bytes = 0;
  std::vector<BufferRow> buffers;
  std::vector<ShapeRow> shapes;
  std::vector<Command> commands;
};

std::string write_image(const Image& image);

/// Reads an image and checks every field of it: tables in range, buffers inside their regions,
/// operands as large as the shapes say, nothing written to inputs or weights, no matrix command
/// whose result overlaps an operand. What passes runs without touching a byte outside its buffers.
/// Errors: kProgramInvalid naming the field.
Result<Image> read_image(std::span<const std::byte> bytes);

/// Elements that a command reads of a, b, c and writes to dst; a saturated number when a size does
/// not fit in 63 bits.
struct Extents {
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
  int64_t dst = 0;
};
Extents extents_of(Opcode op, const ShapeRow& shape, uint64_t count) noexcept;

}  // namespace npugraph::vnpu
