// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "npugraph/target/target.h"
#include "npugraph/vnpu/hardware.h"

namespace npugraph {

/// The virtual NPU at compile time: takes what the hardware file's legal table lists, whole regions
/// at once.
std::unique_ptr<Target> make_vnpu_target(const vnpu::Hardware& hardware);

}  // namespace npugraph
