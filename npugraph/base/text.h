// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale>
#include <sstream>
#include <string>
#include <string_view>

namespace npugraph {

/// Joins anything that streams into one string; independent of the process's locale.
template <class... Args>
std::string text(const Args&... args) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  (stream << ... << args);
  return std::move(stream).str();
}

/// "a, b, c" of any range whose items stream.
template <class Range>
std::string join(const Range& items, std::string_view separator = ", ") {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  bool first = true;
  for (const auto& item : items) {
    if (!first) stream << separator;
    stream << item;
    first = false;
  }
  return std::move(stream).str();
}

/// The candidate nearest to `word` by edit distance, or empty when none is close: for "did you
/// mean".
template <class Range>
std::string nearest(std::string_view word, const Range& candidates);

/// Edit distance (insert, delete, replace) of two words.
int64_t edit_distance(std::string_view a, std::string_view b);

template <class Range>
std::string nearest(std::string_view word, const Range& candidates) {
  std::string best;
  int64_t best_distance = static_cast<int64_t>(word.size()) / 2 + 1;
  for (const auto& candidate : candidates) {
    const int64_t distance = edit_distance(word, candidate);
    if (distance < best_distance) best_distance = distance, best = std::string(candidate);
  }
  return best;
}

}  // namespace npugraph
