// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "npugraph/base/platform.h"
#include "npugraph/hal/driver.h"

namespace npugraph {

/// The cpu device at run time, for a processor of level `isa`: runs programs of that level and of
/// weaker ones. Buffers are host memory; a queue runs its work on the calling thread and the
/// workers of its own pool, and is idle when execute() returns.
std::unique_ptr<Driver> make_cpu_driver(Isa isa);

}  // namespace npugraph
