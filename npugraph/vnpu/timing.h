// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "npugraph/vnpu/hardware.h"
#include "npugraph/vnpu/image.h"

namespace npugraph::vnpu {

/// What a command makes its units do.
struct CommandWork {
  double macs = 0;        // matrix unit
  double vector_ops = 0;  // vector unit
  double bytes = 0;       // DRAM, read and written once
};
CommandWork work_of(Opcode op, const ShapeRow& shape, uint64_t count) noexcept;

/// The crude clock: decode + max(macs / peak, vector operations / lanes, bytes / bandwidth). Units
/// of one command overlap perfectly, commands do not overlap at all.
int64_t command_cycles(const Hardware& hardware, Opcode op, const ShapeRow& shape,
                       uint64_t count) noexcept;

int64_t cycles_ns(const Hardware& hardware, int64_t cycles) noexcept;

/// Launch, then all commands one after the other.
int64_t program_ns(const Hardware& hardware, const Image& image) noexcept;

/// A copy between host and device memory: latency + bytes / link bandwidth.
int64_t transfer_ns(const Hardware& hardware, int64_t size_bytes) noexcept;

}  // namespace npugraph::vnpu
