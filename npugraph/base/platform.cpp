// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/platform.h"

#include <sched.h>
#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <string>

namespace npugraph {
namespace {

constexpr std::array<std::string_view, 3> kIsaNames = {"portable", "avx2", "avx512"};

}  // namespace

std::string_view isa_name(Isa isa) noexcept { return kIsaNames[static_cast<size_t>(isa)]; }

Result<Isa> parse_isa(std::string_view name) {
  for (size_t i = 0; i < kIsaNames.size(); ++i)
    if (kIsaNames[i] == name) return static_cast<Isa>(i);
  return fail(ErrorId::kBadOption, "unknown instruction-set level", std::string(name),
              "portable, avx2 or avx512");
}

Isa native_isa() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::kPortable;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
    return Isa::kAvx2;
  return Isa::kAvx512;
#else
  return Isa::kPortable;
#endif
}

Result<Isa> selected_isa() {
  const char* wanted = std::getenv("NPUGRAPH_ISA");
  if (wanted == nullptr || *wanted == '\0') return native_isa();
  auto isa = parse_isa(wanted);
  if (!isa) return at("environment variable NPUGRAPH_ISA", std::move(isa).error());
  if (*isa > native_isa())
    return at("environment variable NPUGRAPH_ISA",
              fail(ErrorId::kBadOption, "this processor lacks the instruction-set level", wanted,
                   std::string(isa_name(native_isa())) + " or a weaker one"));
  return *isa;
}

int64_t cpu_count() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

int64_t peak_rss_bytes() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace npugraph
