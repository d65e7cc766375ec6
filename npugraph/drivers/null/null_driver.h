// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "npugraph/hal/driver.h"

namespace npugraph {

/// The run half of the null device: memory, copies, queues, clocks and counters work, and every
/// program is refused. The skeleton to copy for a new device; the steps stand in
/// lower/null/null_target.h.
std::unique_ptr<Driver> make_null_driver();

}  // namespace npugraph
