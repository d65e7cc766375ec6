// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "npugraph/base/platform.h"
#include "npugraph/target/target.h"

namespace npugraph {

/// The cpu device at compile time: takes every operator that has a reference implementation, one
/// node a program, with the fast kernel where there is one, for processors of level `isa`.
std::unique_ptr<Target> make_cpu_target(Isa isa);

/// "x86-64 avx512": what programs packed for `isa` need.
std::string cpu_fingerprint(Isa isa);

}  // namespace npugraph
