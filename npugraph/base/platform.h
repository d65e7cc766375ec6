// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "npugraph/base/result.h"

namespace npugraph {

/// Instruction-set levels, weakest first. A kernel of a level needs all that the level names:
/// kPortable x86-64 as the ABI has it; kAvx2 AVX2, FMA, F16C; kAvx512 AVX-512 F, BW, VL, DQ.
enum class Isa : uint8_t { kPortable, kAvx2, kAvx512 };

/// "portable", "avx2", "avx512".
std::string_view isa_name(Isa isa) noexcept;

/// The level named by `name`. Errors: kBadOption.
Result<Isa> parse_isa(std::string_view name);

/// What this processor and its operating system offer, by cpuid.
Isa native_isa() noexcept;

/// The level to use: native, or the one that NPUGRAPH_ISA names when the processor has it.
/// Errors: kBadOption when it names no level or one that this processor lacks.
Result<Isa> selected_isa();

/// Logical processors that this process may use (its affinity mask), at least 1.
int64_t cpu_count() noexcept;

/// Peak resident set of this process in bytes.
int64_t peak_rss_bytes() noexcept;

}  // namespace npugraph
