// SPDX-License-Identifier: Apache-2.0
// The text form of graphs: any text gives a typed error, or a graph whose print reads as itself.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "fuzz/driver.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"

namespace npugraph::fuzz {
namespace {

constexpr int64_t kMostConstants_bytes = 1 << 20;

bool is_blank(std::byte byte) { return byte == std::byte{' '} || byte == std::byte{'\n'}; }

/// [begin, end) of the word at or after a place.
std::pair<size_t, size_t> word_at(const Bytes& bytes, size_t place) {
  while (place < bytes.size() && is_blank(bytes[place])) ++place;
  size_t end = place;
  while (end < bytes.size() && !is_blank(bytes[end])) ++end;
  return {place, end};
}

}  // namespace

void fuzz_one(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ParseOptions options;
  options.max_bytes = kMostConstants_bytes;
  const auto graph = parse(text, options);
  if (!graph) {
    if (graph.error().message().empty() || graph.error().id == ErrorId::kInternal) std::abort();
    return;
  }
  const std::string printed = print(**graph, {.all_data = true});
  const auto again = parse(printed);
  if (!again || print(**again, {.all_data = true}) != printed) std::abort();
  // Types that a text claims are checked, and missing ones inferred, without a crash.
  const Status inferred = infer_types(**graph);
  if (!inferred && inferred.error().id == ErrorId::kInternal) std::abort();
  const Status verified = verify(**graph);
  static_cast<void>(verified);
}

void mutate_format(Bytes& bytes, const Bytes& other, Random& random) {
  if (bytes.empty() || other.empty()) return;
  const auto [begin, end] = word_at(bytes, random() % bytes.size());
  const auto [from, to] = word_at(other, random() % other.size());
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
  const Bytes word(other.begin() + static_cast<std::ptrdiff_t>(from),
                   other.begin() + static_cast<std::ptrdiff_t>(to));
  if (random() % 3 != 0) bytes.erase(at, at + static_cast<std::ptrdiff_t>(end - begin));
  if (random() % 3 != 0)
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(begin), word.begin(), word.end());
}

}  // namespace npugraph::fuzz
