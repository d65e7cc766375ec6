// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "npugraph/hal/driver.h"
#include "npugraph/vnpu/hardware.h"

namespace npugraph {

/// The virtual NPU at run time: one simulated device with its own memory. Each queue has its own
/// virtual clock, which only copies and launches move; queues do not yet slow each other down.
/// Errors: kOutOfMemory (address space for the simulated memory); kBadOption (NPUGRAPH_ISA).
Result<std::unique_ptr<Driver>> make_vnpu_driver(const vnpu::Hardware& hardware);

}  // namespace npugraph
