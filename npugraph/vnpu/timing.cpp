// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/timing.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace npugraph::vnpu {

CommandWork work_of(Opcode op, const ShapeRow& shape, uint64_t count) noexcept {
  const Extents extents = extents_of(op, shape, count);
  const auto dst = static_cast<double>(extents.dst);
  CommandWork work;
  work.bytes = sizeof(float) * (static_cast<double>(extents.a) + static_cast<double>(extents.b) +
                                static_cast<double>(extents.c) + dst);
  switch (op) {
    case Opcode::kCopy:
      break;
    case Opcode::kMatMul:
      work.macs = dst * std::bit_cast<MatMulShape>(shape).k;
      break;
    case Opcode::kConv: {
      const auto conv = std::bit_cast<ConvShape>(shape);
      work.macs = dst * conv.in_c * conv.kernel_h * conv.kernel_w;
      break;
    }
    case Opcode::kAdd:
    case Opcode::kRelu:
      work.vector_ops = dst;
      break;
  }
  return work;
}

int64_t command_cycles(const Hardware& hardware, Opcode op, const ShapeRow& shape,
                       uint64_t count) noexcept {
  const CommandWork work = work_of(op, shape, count);
  const auto cores = static_cast<double>(hardware.cores);
  const double macs_per_cycle =
      cores * static_cast<double>(hardware.mxu_rows) * static_cast<double>(hardware.mxu_cols);
  const double lanes = cores * static_cast<double>(hardware.vpu_lanes);
  const double bytes_per_cycle = hardware.dram_Bps / hardware.clock_hz;
  const double cycles =
      std::max({work.macs / macs_per_cycle, work.vector_ops / lanes, work.bytes / bytes_per_cycle});
  return hardware.decode_cycles + static_cast<int64_t>(std::ceil(std::min(cycles, 0x1p60)));
}

int64_t cycles_ns(const Hardware& hardware, int64_t cycles) noexcept {
  return static_cast<int64_t>(
      std::llround(std::min(static_cast<double>(cycles) * 1e9 / hardware.clock_hz, 0x1p60)));
}

int64_t program_ns(const Hardware& hardware, const Image& image) noexcept {
  int64_t cycles = 0;
  const ShapeRow none;
  for (const Command& command : image.commands) {
    const ShapeRow& shape = image.shapes.empty() ? none : image.shapes[command.shape];
    const int64_t more = command_cycles(hardware, command.op, shape, command.count);
    cycles = std::min(cycles + more, int64_t{1} << 60);
  }
  return static_cast<int64_t>(std::llround(hardware.launch_us * 1e3)) + cycles_ns(hardware, cycles);
}

int64_t transfer_ns(const Hardware& hardware, int64_t size_bytes) noexcept {
  return static_cast<int64_t>(std::llround(
      hardware.link_latency_us * 1e3 + static_cast<double>(size_bytes) * 1e9 / hardware.link_Bps));
}

}  // namespace npugraph::vnpu
