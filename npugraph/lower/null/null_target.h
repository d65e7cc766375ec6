// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "npugraph/target/target.h"

namespace npugraph {

/// The compile half of the null device, which takes nothing: the skeleton to copy for a new device.
///
/// How to add a device "foo" (docs/devices.md has the long form):
///  1. Copy lower/null/ to lower/foo/ and drivers/null/ to drivers/foo/; rename null to foo. Both
///     halves give the same name in TargetInfo::device and DriverInfo.
///  2. TargetInfo: say whether the device shares the host's memory, whether it compiles regions of
///     many nodes, and what its programs depend on (the fingerprint: everything that must be equal
///     between compiling and running).
///  3. supports(): take what the device runs exactly as the operator's reference defines it; refuse
///     the rest with what was found and what is allowed. The cpu runs what is refused.
///  4. compile(): turn a subgraph into bytes and weights. Only drivers/foo/ reads them.
///  5. The driver: load() checks every byte it relies on (kProgramInvalid, never a crash),
///     prepare() does all that may fail or allocate, Queue::execute() does neither.
///  6. accepts(): refuse programs of another fingerprint or too old a firmware, naming both sides.
///  7. One line in api/devices.inc, and one case in tests/conformance/devices.cpp with the lists of
///     what is unsupported or expected to fail, each with its reason.
std::unique_ptr<Target> make_null_target();

}  // namespace npugraph
