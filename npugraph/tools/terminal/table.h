// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace npugraph::tools {

/// Rows of text in columns as wide as their widest cell, under a heading.
class Table {
 public:
  /// A heading that starts with '>' aligns its column to the right (the sign is not printed).
  explicit Table(std::vector<std::string> heading);
  void add(std::vector<std::string> cells);
  bool empty() const noexcept { return rows_.size() == 1; }
  /// Control characters in cells are shown as '?': names come from files of others.
  void print(std::ostream& stream) const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` with control characters replaced by '?'.
std::string printable(std::string text);

/// A number for people: 4 significant digits.
std::string number_str(double value);
/// "12 B", "3.4 KiB", "5.6 MiB".
std::string bytes_str(int64_t bytes);

}  // namespace npugraph::tools
