// SPDX-License-Identifier: Apache-2.0
// Hardware files of the simulated NPU: any text gives a typed error, or a device with a name.
#include <cstdlib>
#include <string>

#include "fuzz/driver.h"
#include "npugraph/vnpu/hardware.h"

namespace npugraph::fuzz {

void fuzz_one(std::span<const std::byte> bytes) {
  const auto hardware =
      vnpu::parse_hardware({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!hardware) {
    if (hardware.error().id == ErrorId::kInternal || hardware.error().message().empty())
      std::abort();
    return;
  }
  if (hardware->name.empty() || hardware->fingerprint().empty()) std::abort();
}

/// Puts a value of the other file, or one at the edge of what numbers can be, in a value's place.
void mutate_format(Bytes& bytes, const Bytes& other, Random& random) {
  constexpr std::string_view kValues[] = {
      "0",      "-1",         "1e308", "-1e308", "1e999",
      "null",   "true",       "[]",    "{}",     "\"\"",
      "1.5",    "4294967296", "[0]",   "1e-308", "9223372036854775807",
      "[1,2,3]"};
  const auto value_at = [&](const Bytes& from) {
    std::pair<size_t, size_t> found{0, 0};
    if (from.empty()) return found;
    const size_t start = random() % from.size();
    for (size_t i = start; i < from.size(); ++i) {
      if (from[i] != std::byte{':'}) continue;
      size_t end = i + 1;
      while (end < from.size() && from[end] != std::byte{','} && from[end] != std::byte{'\n'})
        ++end;
      return std::pair{i + 1, end};
    }
    return found;
  };
  const auto [begin, end] = value_at(bytes);
  if (end == 0) return;
  Bytes value;
  if (random() % 2 == 0) {
    const std::string_view word = kValues[random() % std::size(kValues)];
    const auto* data = reinterpret_cast<const std::byte*>(word.data());
    value.assign(data, data + word.size());
  } else if (const auto [from, to] = value_at(other); to != 0) {
    value.assign(other.begin() + static_cast<std::ptrdiff_t>(from),
                 other.begin() + static_cast<std::ptrdiff_t>(to));
  }
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
  bytes.erase(at, at + static_cast<std::ptrdiff_t>(end - begin));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(begin), value.begin(), value.end());
}

}  // namespace npugraph::fuzz
